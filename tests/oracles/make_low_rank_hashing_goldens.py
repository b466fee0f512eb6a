"""Makes ``low_rank_hashing.npz``: what linformer 0.2.3 and reformer-pytorch 1.4.4 say with random weights.

Not a test, and not run by them: the libraries are not installed where the tests run. To repeat it, in an environment of
its own: ``pip install torch numpy linformer==0.2.3 reformer-pytorch==1.4.4``, then run this file.

reformer-pytorch keeps to the paper's rules when told so: the same bucket only, and what several rounds find counts
once. Its directions come from ``torch.randn`` inside the layer; here they are handed to it.
"""

from pathlib import Path
from unittest import mock

import numpy as np
import torch
from linformer import LinformerSelfAttention
from reformer_pytorch import LSHAttention
from reformer_pytorch.reversible import ReversibleSequence

B, S, D, H, R = 2, 7, 6, 3, 5
LONG, K, CHUNK = 24, 7, 4  # the library wants values as wide as keys


def draw(*shape, seed):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64)


def linformer(shared):
    layer = LinformerSelfAttention(D, S + 2, k=R, heads=H, share_kv=shared).double().eval()
    for seed, parameter in enumerate(layer.parameters()):
        parameter.data = draw(*parameter.shape, seed=seed) / 3
    x = draw(B, S, D, seed=9)
    with torch.no_grad():
        output = layer(x)
    parameters = {key.replace(".", "_"): value.numpy() for key, value in layer.state_dict().items()}
    return parameters | {"x": x.numpy(), "output": output.numpy()}


def lsh(rounds, causal):
    layer = LSHAttention(
        bucket_size=CHUNK,
        n_hashes=rounds,
        causal=causal,
        attend_across_buckets=False,
        allow_duplicate_attention=False,
    ).eval()
    query, value = draw(H, LONG, K, seed=1).requires_grad_(), draw(H, LONG, K, seed=2).requires_grad_()
    directions = draw(1, K, 3, LONG // CHUNK // 2, seed=3)[:, :, :rounds]
    with mock.patch("torch.randn", lambda *_, **__: directions):
        output, _, buckets = layer(query, value)
    output.sin().sum().backward()
    found = {"output": output, "by_query": query.grad, "by_value": value.grad}
    if rounds == 3:  # one round has the first of these directions, and the same inputs
        found |= {"query": query, "value": value, "rotations": directions[0].movedim(1, 0)}
    found["buckets"] = buckets.reshape(H, rounds, LONG) - LONG // CHUNK * torch.arange(rounds)[:, None]
    found["buckets"] = found["buckets"].byte()
    return {key: x.detach().numpy() for key, x in found.items()}


def reversible():
    def part(seed):
        one = torch.nn.Sequential(torch.nn.Linear(D, R), torch.nn.Tanh(), torch.nn.Linear(R, D)).double()
        for shift, parameter in enumerate(one.parameters()):
            parameter.data = draw(*parameter.shape, seed=10 * seed + shift) / 3
        return one

    parts = [part(seed) for seed in range(4)]
    x = draw(B, S, 2 * D, seed=5).requires_grad_()
    output = ReversibleSequence([parts[:2], parts[2:]])(x)
    output.sin().sum().backward()
    found = {"x": x, "output": output, "by_x": x.grad}
    for number, one in enumerate(parts):
        for name, parameter in one.named_parameters():
            found |= {f"{number}.{name}": parameter, f"{number}.by.{name}": parameter.grad}
    return {key: value.detach().numpy() for key, value in found.items()}


def main():
    groups = {"linformer": linformer(False), "linformer, shared": linformer(True), "reversible": reversible()}
    groups |= {f"lsh {rounds} {causal}": lsh(rounds, causal) for rounds in (1, 3) for causal in (False, True)}
    arrays = {f"{name}/{key}": x for name, group in groups.items() for key, x in group.items()}
    path = Path(__file__).with_name("low_rank_hashing.npz")
    np.savez_compressed(path, **arrays)
    print(f"{path.name}: {path.stat().st_size} bytes")


if __name__ == "__main__":
    main()
