"""A GPT of characters with grouped queries, rotary positions and a cache: it learns a text, then writes on."""

from attn_course.frameworks import torch  # says what to install where it is missing
from attn_course.pytorch import GroupedQueryAttention, LanguageModel, RotaryEncoding, generate

TEXT = "How much wood would a woodchuck chuck, if a woodchuck could chuck wood? " * 20


def main(text=TEXT, steps=150, written=72):
    torch.manual_seed(0)
    names = sorted(set(text))
    data = torch.tensor([names.index(x) for x in text])
    heads = {"num_kv_heads": 2, "use_bias": False, "rotary": RotaryEncoding(16)}
    kind = {"norm": "pre", "activation": "swiglu", "positions": None}
    kind |= {"normalization": "rms", "attention": lambda _: GroupedQueryAttention(64, 4, **heads)}
    model = LanguageModel(len(names), 2, 64, 4, 128, **kind)
    optimizer, loss_of = torch.optim.AdamW(model.parameters(), 3e-3), torch.nn.functional.cross_entropy
    for _ in range(steps):
        rows = data[torch.randint(len(data) - 33, (16, 1)) + torch.arange(33)]
        loss = loss_of(model(rows[:, :-1], need_weights=False)[0].mT, rows[:, 1:])
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
    tokens = generate(model.eval(), data[None, :9], max_tokens=written, temperature=0)
    return loss.item(), text[:9] + "".join(names[token.item()] for token in tokens)


if __name__ == "__main__":
    print("loss {:.3f}\n{}".format(*main()))
