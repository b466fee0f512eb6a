"""A GPT of characters with grouped queries, rotary positions and a cache: it learns a text, then writes on."""

from attn_course.frameworks import torch  # says what to install where it is missing
from attn_course.pytorch import GroupedQueryAttention, LanguageModel, RotaryEncoding, generate

TEXT = "How much wood would a woodchuck chuck, if a woodchuck could chuck wood? " * 20


def build(letters):
    return LanguageModel(
        letters,
        num_layers=2,
        model_dim=64,
        num_heads=4,
        ff_dim=128,
        positions=None,  # the layers turn queries and keys
        norm="pre",
        normalization="rms",
        activation="swiglu",
        attention=lambda layer: GroupedQueryAttention(64, 4, num_kv_heads=2, rotary=RotaryEncoding(16)),
    )


def main(text=TEXT, steps=150, written=72):
    torch.manual_seed(0)
    names = sorted(set(text))
    data = torch.tensor([names.index(x) for x in text])
    model = build(len(names))
    optimizer = torch.optim.AdamW(model.parameters(), 3e-3)
    for _ in range(steps):
        # Pieces as long as what is written later: beyond them no position was met.
        rows = data[torch.randint(len(data) - 97, (16, 1)) + torch.arange(97)]
        logits, _ = model(rows[:, :-1], need_weights=False)
        loss = torch.nn.functional.cross_entropy(logits.mT, rows[:, 1:])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    tokens = generate(model.eval(), data[None, :9], max_tokens=written, temperature=0)
    return loss.item(), text[:9] + "".join(names[token.item()] for token in tokens)


if __name__ == "__main__":
    loss, written = main()
    print(f"loss {loss:.2f}\n{written}")
