"""A Transformer learns German to English by ``translate.py``; ``translate.py "Der Hund sucht den Arzt."`` asks it."""

import sys

import torch

from attn_course.pytorch import Transformer, greedy_decode
from attn_course.tasks.sentences import load_sentences, vocabulary


def main(german=None, path="translator.pt", steps=600):
    torch.manual_seed(0)
    model = Transformer(len(words := vocabulary()), 1, 64, 4, 128, norm="pre")
    if german is not None:
        model.eval().load_state_dict(torch.load(path))
        tokens = greedy_decode(model, torch.tensor(words.encode([german])[0]), begin=1, end=2, max_length=24)
        return words.decode(tokens.numpy())[0]
    source, _, given, wanted = map(torch.tensor, load_sentences("train").encode())
    adam = torch.optim.Adam(model.parameters(), 0.01, betas=(0.9, 0.98))
    rate = torch.optim.lr_scheduler.LambdaLR(adam, lambda step: min((step + 1) / 100, 1 - step / steps))
    for rows in torch.randint(len(source), (steps, 64)):
        logits, _ = model(source[rows], given[rows], (source[rows] != 0)[:, None, None])  # 0 is padding
        loss = torch.nn.functional.cross_entropy(logits.mT, wanted[rows].long(), ignore_index=0)
        _ = adam.zero_grad(), loss.backward(), adam.step(), rate.step()
    torch.save(model.state_dict(), path)
    return loss.item()


if __name__ == "__main__":
    print(main(*sys.argv[1:2]))
