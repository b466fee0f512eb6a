"""German to English: ``translate.py`` trains a Transformer; ``translate.py "Der Hund sucht den Arzt."`` asks it."""

import sys

from attn_course.frameworks import torch  # says what to install where it is missing
from attn_course.pytorch import Transformer, greedy_decode
from attn_course.tasks.sentences import load_sentences, vocabulary
from attn_course.tasks.text import BEGIN, END, PAD

WORDS = vocabulary()


def build():
    torch.manual_seed(0)
    return Transformer(len(WORDS), num_layers=1, model_dim=64, num_heads=4, ff_dim=128, norm="pre")


def train(model, steps=600, batch=64):
    source, _, given, wanted = map(torch.tensor, load_sentences("train").encode())
    adam = torch.optim.Adam(model.parameters(), 0.01, betas=(0.9, 0.98))
    rate = torch.optim.lr_scheduler.LambdaLR(adam, lambda step: min((step + 1) / 100, 1 - step / steps))
    for rows in torch.randint(len(source), (steps, batch)):
        logits, _ = model(source[rows], given[rows], need_weights=False)  # 0 is padding
        loss = torch.nn.functional.cross_entropy(logits.mT, wanted[rows].long(), ignore_index=PAD)
        adam.zero_grad()
        loss.backward()
        adam.step()
        rate.step()
    return loss.item()


def translate(model, german):
    source = torch.tensor(WORDS.encode([german])[0])
    tokens = greedy_decode(model.eval(), source, begin=BEGIN, end=END, max_length=24)
    return WORDS.decode(tokens.numpy())[0]


def main(german=None, path="translator.pt", steps=600):
    model = build()
    if german is not None:
        model.load_state_dict(torch.load(path))
        return translate(model, german)
    loss = train(model, steps)
    torch.save(model.state_dict(), path)
    return loss


if __name__ == "__main__":
    said = main(*sys.argv[1:2])
    print(said if sys.argv[1:] else f"loss {said:.2f}")
