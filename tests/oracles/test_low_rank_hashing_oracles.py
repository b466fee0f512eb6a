"""Independent witnesses: linformer and reformer-pytorch, stored by ``make_goldens.py``."""

from pathlib import Path

import numpy as np
import pytest
from support import FACE, gradients, numbers, tensor

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, tf as tensorflow, torch
from attn_course.parity import set_parameters

GOLDENS = np.load(Path(__file__).with_name("low_rank_hashing.npz"))
B, S, D, H, R = 2, 7, 6, 3, 5
NEAR = 1e-7  # the library adds 1e-9 to its count of the rounds that find a key
LSH = pytest.mark.parametrize("rounds, causal", [(r, c) for r in (1, 3) for c in (False, True)])


def golden(name):
    return {key.split("/")[1]: GOLDENS[key] for key in GOLDENS if key.startswith(f"{name}/")}


def hashed(rounds, causal):
    given = {name: GOLDENS[f"lsh 3 {causal}/{name}"] for name in ("query", "value", "rotations")}
    given["rotations"] = given["rotations"][:rounds]
    return given | golden(f"lsh {rounds} {causal}") | {"rotations": given["rotations"]}


@FACE
@pytest.mark.parametrize("shared", [False, True])
def test_linformer(face, shared):
    found = golden("linformer, shared" if shared else "linformer")
    sizes = {"model_dim": D, "num_heads": H, "length": S + 2, "rank": R}
    options = {"dtype": torch.float64} if face is pytorch else {"dtype": "float64"}
    layer = face.LinformerAttention(**sizes, sharing="key_value" if shared else "heads", **options)
    parameters = {f"{name}_bias": np.zeros(D) for name in ("query", "key", "value")}
    names = {"query": "to_q", "key": "to_k", "value": "to_k" if shared else "to_v", "output": "to_out"}
    parameters |= {f"{ours}_weight": found[f"{theirs}_weight"].T for ours, theirs in names.items()}
    parameters |= {"output_bias": found["to_out_bias"], "key_projection": found["proj_k"].T}
    if not shared:
        parameters["value_projection"] = found["proj_v"].T
    set_parameters(layer, parameters)
    np.testing.assert_allclose(numbers(layer(tensor(face, found["x"]))[0]), found["output"], rtol=1e-10, atol=1e-12)


@LSH
def test_the_reference_hashes_and_attends_as_reformer_pytorch(rounds, causal):
    found = hashed(rounds, causal)
    assert np.array_equal(reference.lsh_buckets(found["query"], found["rotations"]), found["buckets"])
    options = {"num_buckets": 6, "num_rounds": rounds, "chunk_size": 4, "rotations": found["rotations"]}
    output, _ = reference.lsh_attention(found["query"], found["value"], causal=causal, **options)
    np.testing.assert_allclose(output, found["output"], rtol=NEAR, atol=NEAR)


@LSH
@FACE
def test_lsh_and_its_gradient(face, rounds, causal):
    found = hashed(rounds, causal)
    options = {"num_buckets": 6, "num_rounds": rounds, "chunk_size": 4, "causal": causal}
    options["rotations"] = tensor(face, found["rotations"])
    sine = torch.sin if face is pytorch else tensorflow.sin

    def attend(query, value):
        return face.lsh_attention(query, value, **options)[0]

    given = {name: found[name] for name in ("query", "value")}
    ours = {"output": numbers(attend(*(tensor(face, x) for x in given.values())))}
    slopes = gradients(face, lambda *x: sine(attend(*x)), given)
    for name, x in (ours | {f"by_{name}": x for name, x in slopes.items()}).items():
        np.testing.assert_allclose(x, found[name], rtol=NEAR, atol=NEAR)


def test_reversible_layers_in_pytorch():
    found = golden("reversible")
    parts = []
    for number in range(4):
        part = torch.nn.Sequential(torch.nn.Linear(D, R), torch.nn.Tanh(), torch.nn.Linear(R, D)).double()
        part.load_state_dict({k: torch.from_numpy(found[f"{number}.{k}"]) for k in part.state_dict()})
        parts.append(part)
    layers = pytorch.ReversibleLayers([parts[:2], parts[2:]])
    x = torch.from_numpy(found["x"]).requires_grad_()
    output = layers(x)
    output.sin().sum().backward()
    pairs = [(output, "output"), (x.grad, "by_x")]
    pairs += [(p.grad, f"{n}.by.{name}") for n, part in enumerate(parts) for name, p in part.named_parameters()]
    for ours, name in pairs:
        np.testing.assert_allclose(numbers(ours), found[name], rtol=1e-10, atol=1e-10)


def test_reversible_layers_in_tensorflow():
    found = golden("reversible")
    parts = []
    for number in range(4):
        own = {"dtype": "float64"}
        dense = [keras.layers.Dense(R, activation="tanh", **own), keras.layers.Dense(D, **own)]
        part = keras.Sequential([keras.layers.Input((S, D), dtype="float64"), *dense])
        part.dtype_policy = "float64"
        part.set_weights([found[f"{number}.{k}"].T for k in ("0.weight", "0.bias", "2.weight", "2.bias")])
        parts.append(part)
    layers = tf.ReversibleLayers([parts[:2], parts[2:]], dtype="float64")
    x = tensorflow.Variable(found["x"])
    with tensorflow.GradientTape() as tape:
        output = layers(x)
        loss = tensorflow.reduce_sum(tensorflow.sin(output))
    names = ["0.weight", "0.bias", "2.weight", "2.bias"]
    wanted = [x, *(variable for part in parts for variable in part.trainable_variables)]
    gradients = tape.gradient(loss, wanted)
    theirs = [found["by_x"], *(found[f"{n}.by.{name}"].T for n in range(4) for name in names)]
    for ours, other in zip((output, *gradients), (found["output"], *theirs), strict=True):
        np.testing.assert_allclose(numbers(ours), other, rtol=1e-10, atol=1e-10)
