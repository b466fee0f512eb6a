"""A forecast of a series with ALiBi: trained at 40 steps, asked at 160, with no position it hasn't seen."""

from attn_course.frameworks import torch  # says what to install where it is missing
from attn_course.pytorch import AlibiBias, Encoder


def main(steps=300):
    torch.manual_seed(0)
    into, out = torch.nn.Linear(1, 32), torch.nn.Linear(32, 1)
    layers = Encoder(2, 32, 4, 64, norm="pre", bias=AlibiBias(4))

    def error(length, rows=32):  # of every next value but the first few, which can't know the speed
        speed, start = 0.2 + 0.3 * torch.rand(rows, 1), 6 * torch.rand(rows, 1)
        series = torch.sin(speed * torch.arange(length + 1) + start) + 0.05 * torch.randn(rows, length + 1)
        x, _ = layers(into(series[:, :-1, None]), causal=True, need_weights=False)
        return (out(x)[..., 0] - series[:, 1:])[:, 8:].square().mean()

    optimizer = torch.optim.Adam([*into.parameters(), *layers.parameters(), *out.parameters()], 3e-3)
    for _ in range(steps):
        optimizer.zero_grad()
        error(40).backward()
        optimizer.step()
    with torch.no_grad():
        return [error(length, rows=256).item() for length in (40, 160)]


if __name__ == "__main__":
    print("mean squared error: {:.3f} at 40 steps, {:.3f} at 160".format(*main()))
