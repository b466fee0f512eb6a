"""LSH attention and reversible layers: by loops, alike in three implementations, and the faults that are caught."""

import math

import numpy as np
import pytest
from linearized_cases import B, H, S, V, call, draw, padding, refused
from support import FACE, FACES, build, close, numbers, tensor

from attn_course import pytorch, reference, tf
from attn_course.frameworks import keras, tf as tensorflow, torch
from attn_course.masks import padding_mask
from attn_course.mechanisms.hashing.shared import draw_rotations

NAME, K = "lsh_attention", 6


def pair(seed=0):
    query, _, value = draw(S, seed, key_dim=K)
    return query, value


def buckets_by_loops(x, rotations):
    found = []
    for directions in rotations:
        every = [*directions.T, *(-directions.T)]
        found.append(max(range(len(every)), key=lambda i: every[i] @ x))
    return found


@FACES
def test_buckets_by_loops(face):
    rotations = draw_rotations(K, 8, 3, seed=1)
    expected = np.apply_along_axis(buckets_by_loops, -1, pair()[0], rotations).swapaxes(-1, -2)
    found = face.lsh_buckets(tensor(face, pair()[0]), tensor(face, rotations))
    assert np.array_equal(numbers(found), expected)


def by_loops(query, value, mask=None, *, num_buckets, num_rounds, chunk_size, causal, merge="log-sum-exp", border=True):
    """Round by round, as the paper merges them; with a fault where one is asked for."""
    rotations = draw_rotations(K, num_buckets, num_rounds, 0)
    size = 64 if chunk_size is None else chunk_size
    output = np.zeros_like(value)
    for b, h in np.ndindex(B, H):
        seen = [mask is None or mask[b, 0, 0, s] for s in range(S)]
        found = [buckets_by_loops(query[b, h, s], rotations) for s in range(S)]
        bucket = [[x if seen[s] else num_buckets for x in found[s]] for s in range(S)]
        chunks = []
        for r in range(num_rounds):
            order = sorted(range(S), key=lambda s: (bucket[s][r], s))
            chunks.append([order.index(s) // size for s in range(S)])
        for t in range(S):
            if not seen[t]:
                continue
            rounds = []
            for r in range(num_rounds):
                rounds.append([
                    s
                    for s in range(S)
                    if s != t and seen[s] and (s < t or not causal)
                    and (bucket[s][r] == bucket[t][r] or not border)
                    and chunks[r][t] - chunks[r][s] in (0, 1)
                ])  # fmt: skip
            score = [query[b, h, t] @ query[b, h, s] / np.linalg.norm(query[b, h, s]) / math.sqrt(K) for s in range(S)]
            times = [sum(s in one for one in rounds) for s in range(S)]  # what several rounds find counts once
            sums = [sum(math.exp(score[s]) / times[s] for s in one) for one in rounds]
            means = [
                sum((math.exp(score[s]) / times[s] * value[b, h, s] for s in one), np.zeros(V)) / (total or 1.0)
                for one, total in zip(rounds, sums, strict=True)
            ]
            if not any(rounds):
                output[b, h, t] = value[b, h, t]
            elif merge == "log-sum-exp":
                output[b, h, t] = sum(x * mean for x, mean in zip(sums, means, strict=True)) / sum(sums)
            else:
                output[b, h, t] = sum(means) / sum(bool(one) for one in rounds)
    return output


OPTIONS = [
    {"num_buckets": buckets, "num_rounds": rounds, "chunk_size": size, "causal": causal}
    for buckets, rounds, size in ((2, 1, None), (4, 3, 3), (4, 3, S), (8, 2, None), (2, 3, 64))
    for causal in (False, True)
]


def check_loops(attend):
    """What every implementation passes, and every planted fault fails."""
    for options in OPTIONS:
        for mask in (None, padding()):
            close(attend(*pair(), mask, **options), by_loops(*pair(), mask, **options))


@FACES
def test_agrees_with_loops(face):
    check_loops(lambda *x, **options: call(face, NAME, *x, **options))


FAULTS = {"rounds averaged": {"merge": "mean"}, "no chunk before": {"border": False}}


@pytest.mark.parametrize("fault", FAULTS.values(), ids=FAULTS)
def test_planted_fault_is_caught(fault):
    with pytest.raises(AssertionError):
        check_loops(lambda *x, **options: by_loops(*x, **options, **fault))


@FACES
def test_many_rounds_are_attention_with_shared_unit_keys(face):
    query, value = pair()
    key = query / np.linalg.norm(query, axis=-1, keepdims=True)
    others = ~np.eye(S, dtype=bool)
    exact = reference.scaled_dot_product_attention(query, key, value, others)[0]
    close(call(face, NAME, query, value, num_buckets=2, num_rounds=40, chunk_size=S), exact)
    # With a bucket for nearly every vector it attends to itself, for want of others.
    found = call(face, NAME, query, value, num_buckets=400, chunk_size=S)
    assert (np.abs(found - value).max(-1) < 1e-12).mean() > 0.8


def test_more_rounds_find_more():
    """Two vectors at an angle share a bucket with probability p, in r rounds with 1 - (1 - p) ** r."""
    rng, cosine, width, draws = np.random.default_rng(0), 0.9, 64, 3000
    one = rng.normal(size=(draws, width))
    other = rng.normal(size=(draws, width))
    one /= np.linalg.norm(one, axis=-1, keepdims=True)
    other -= (other * one).sum(-1, keepdims=True) * one
    other /= np.linalg.norm(other, axis=-1, keepdims=True)
    both = np.stack([one, cosine * one + np.sqrt(1 - cosine**2) * other], axis=1)
    rounds = [draw_rotations(width, 16, 8, seed) for seed in range(4)]
    alike = np.stack([
        reference.lsh_buckets(part, rotations)[..., 0] == reference.lsh_buckets(part, rotations)[..., 1]
        for part, rotations in zip(np.array_split(both, 4), rounds, strict=True)
    ])  # fmt: skip
    p = alike.mean()
    for r in (1, 2, 4, 8):
        found = alike[..., :r].any(-1).mean()
        assert abs(found - (1 - (1 - p) ** r)) < 0.03
    assert abs(p - 0.60) < 0.03


@FACES
def test_errors(face):
    arrays = pair()
    refused(face, NAME, arrays, "num_buckets must be even: every direction", num_buckets=3)
    refused(face, NAME, arrays, "num_buckets must be at least 2", num_buckets=0)
    refused(face, NAME, arrays, "num_rounds must be at least 1", num_buckets=2, num_rounds=0)
    refused(face, NAME, arrays, "chunk_size must be a whole number", num_buckets=2, chunk_size=1.5)
    rotations = draw_rotations(K, 4, 2, 0)
    refused(face, NAME, arrays, "rotations must have shape .* r = 1", num_buckets=4, rotations=rotations)
    refused(face, NAME, (arrays[0], arrays[1][:, :, 1:]), "value must have shape .* S = 11", num_buckets=4)
    refused(face, NAME, (*arrays, np.ones((S, S), bool)), "mask must hide a key from all", num_buckets=4)


@FACE
def test_a_layer_draws_its_rotations_anew(face):
    layer = face.LSHAttention(6, 2, num_buckets=4, seed=3)
    assert np.allclose(numbers(layer.rotations), draw_rotations(3, 4, 1, 3))
    layer.redraw(4)
    assert np.allclose(numbers(layer.rotations), draw_rotations(3, 4, 1, 4))


@FACE
def test_more_padding_changes_nothing(face):
    """Neither in the function nor behind an embedding, whose mask Keras carries."""
    layer = build(face, "LSHAttention", 6, 2, num_buckets=8, num_rounds=2, seed=3)
    x, real = np.random.default_rng(0).normal(size=(2, 150, 6)), padding_mask([150, 70], 150)
    whole = numbers(layer(tensor(face, x), mask=tensor(face, real[:, None, None]))[0])
    longer = np.concatenate([x, np.full((2, 201, 6), 9.0)], axis=1)
    more = tensor(face, padding_mask([150, 70], 351)[:, None, None])
    close(numbers(layer(tensor(face, longer), mask=more)[0])[:, :150], whole)


# --- reversible layers ----------------------------------------------------------------


def parts(width=4, count=3):
    torch.manual_seed(0)
    pairs = [
        [torch.nn.Sequential(torch.nn.Linear(width, 7), torch.nn.Tanh(), torch.nn.Linear(7, width)) for _ in range(2)]
        for _ in range(count)
    ]
    return pytorch.ReversibleLayers(pairs).double()


def plain(layers, x):
    x1, x2 = x.chunk(2, dim=-1)
    for f, g in layers.pairs:
        x1 = x1 + f(x2)
        x2 = x2 + g(x1)
    return torch.cat([x1, x2], dim=-1)


def frozen():
    layers = parts()
    layers.pairs[1][0].requires_grad_(False)
    return layers


def serving_twice():
    shared = torch.nn.Linear(4, 4).double()
    return pytorch.ReversibleLayers([[shared, torch.nn.Tanh()], [shared, shared]])


@pytest.mark.parametrize("make", [frozen, serving_twice])
def test_reversible_layers_have_the_gradient_of_residual_ones(make):
    layers, x = make(), torch.randn(2, 3, 8, dtype=torch.float64, requires_grad=True)
    wanted = [x, *(p for p in layers.parameters() if p.requires_grad)]
    expected = torch.autograd.grad(plain(layers, x).sin().sum(), wanted)
    output = layers(x)
    torch.testing.assert_close(output, plain(layers, x), rtol=1e-12, atol=1e-12)
    for one, other in zip(torch.autograd.grad(output.sin().sum(), wanted), expected, strict=True):
        torch.testing.assert_close(one, other, rtol=1e-9, atol=1e-11)
    assert torch.autograd.gradcheck(layers, x.detach().requires_grad_())
    with pytest.raises(ValueError, match="x must have an even width, got 7"):
        layers(x[..., 1:])


def rough():
    """Parts that drop, in one normalization after the other."""
    return [[pytorch.FeedForward(4, 7, dropout=0.3), torch.nn.Dropout(0.2)] for _ in range(3)]


@pytest.mark.parametrize(("narrow", "inside"), [(False, False), (True, False), (True, True)])
def test_dropout_and_autocast_are_the_same_again(narrow, inside):
    """As in the layers without the trick under the same seed; random numbers go on behind it as if nothing had been."""
    torch.manual_seed(0)
    layers = pytorch.ReversibleLayers(rough())
    x = torch.randn(2, 3, 8, requires_grad=True)
    wanted, found = [x, *layers.parameters()], []
    for program in (lambda x: plain(layers, x), layers):
        torch.manual_seed(1)
        with torch.autocast("cpu", torch.bfloat16, enabled=narrow):
            output = program(x)
            loss, state = output.float().sin().sum(), torch.get_rng_state()
            if inside:
                found.append([output, *torch.autograd.grad(loss, wanted)])
        if not inside:
            found.append([output, *torch.autograd.grad(loss, wanted)])
        assert torch.equal(torch.get_rng_state(), state)
    tolerance = 2e-2 if narrow else 1e-5
    for one, other in zip(*found, strict=True):
        torch.testing.assert_close(one, other, rtol=tolerance, atol=tolerance)


class ByMode(keras.layers.Layer):
    """sin(x), in training 3 sin(x)."""

    def call(self, x, training=False):
        return (3.0 if training else 1.0) * tensorflow.sin(x)


@pytest.mark.parametrize("training", [False, True, None])
@pytest.mark.parametrize("graph", [False, True])
def test_a_keras_part_is_called_again_in_its_mode_and_with_its_seed(training, graph):
    keras.utils.set_random_seed(0)
    double = {"dtype": "float64"}
    pairs = [[ByMode(**double), tf.FeedForward(4, 7, dropout=0.3, **double)] for _ in range(2)]
    pairs += [[keras.layers.Dropout(0.4, **double), keras.layers.Dense(4, **double)]]
    layers = tf.ReversibleLayers(pairs, **double)
    x = tensorflow.Variable(np.random.default_rng(0).normal(size=(2, 3, 8)))
    layers(x)
    seeds = [v for v in layers.variables if "seed" in v.path]
    before, weights = [numbers(v.value) for v in seeds], [v.value for v in layers.trainable_variables]
    assert len(seeds) == 3

    def residual(x, training):
        x1, x2 = tensorflow.split(x, 2, axis=-1)
        for f, g in pairs:
            x1 = x1 + f(x2, training=training)
            x2 = x2 + g(x1, training=training)
        return tensorflow.concat([x1, x2], axis=-1)

    def slopes(program):
        with tensorflow.GradientTape() as tape:
            output = program(x, training=training)
            loss = tensorflow.reduce_sum(tensorflow.sin(output))
        return [output, *tape.gradient(loss, [x, *weights])]

    found, after = [], []
    for program in (residual, layers):
        for seed, value in zip(seeds, before, strict=True):
            seed.assign(value)
        run = tensorflow.function(slopes) if graph else slopes
        found.append([x.numpy() for x in run(program)])
        after.append([numbers(v.value) for v in seeds])
    close(*found, 1e-9)
    close(*after)
    assert bool(training) == any((x != y).any() for x, y in zip(after[0], before, strict=True))


@FACE
def test_means_of_a_batch_are_counted_once(face):
    """As the layers have it whose gradient nobody asks for."""
    x, after = np.random.default_rng(0).normal(size=(3, 8)), []
    for slope in (False, True):
        if face is pytorch:
            part = torch.nn.BatchNorm1d(4).double()
            given = torch.from_numpy(x).requires_grad_(slope)
            output = pytorch.ReversibleLayers([[part, torch.nn.Tanh()]])(given)
            if slope:
                output.sum().backward()
            after.append([part.running_mean.numpy(), part.num_batches_tracked.item()])
        else:
            part, given = keras.layers.BatchNormalization(dtype="float64"), tensorflow.constant(x)
            layers = tf.ReversibleLayers([[part, keras.layers.Activation("tanh", dtype="float64")]], dtype="float64")
            with tensorflow.GradientTape() as tape:
                tape.watch(given)
                output = layers(given, training=True)
            if slope:
                tape.gradient(output, given)
            after.append([numbers(part.moving_mean), 1])
    np.testing.assert_array_equal(after[0][0], after[1][0])
    assert np.abs(after[0][0]).max() > 0 and after[0][1] == after[1][1] == 1


def kept_bytes(program, x):
    """The bytes that the forward pass keeps for the gradient, parameters apart."""
    own = {p.data_ptr() for p in program.parameters()} if isinstance(program, torch.nn.Module) else set()
    kept = {}

    def pack(tensor):
        if tensor.data_ptr() not in own:
            kept[tensor.data_ptr()] = tensor.untyped_storage().nbytes()
        return tensor

    with torch.autograd.graph.saved_tensors_hooks(pack, lambda tensor: tensor):
        output = program(x)
    del output
    return sum(kept.values())


def test_reversible_layers_keep_the_same_for_any_depth():
    x = torch.randn(64, 8, dtype=torch.float64)
    few, many = parts(count=2), parts(count=20)
    assert kept_bytes(few, x) == kept_bytes(many, x) == x.nbytes
    residual = [kept_bytes(lambda x, layers=layers: plain(layers, x), x) for layers in (few, many)]
    assert residual[1] > 8 * residual[0] and residual[1] > 50 * x.nbytes


def test_reversible_layers_in_tensorflow():
    pairs = [[keras.layers.Dense(4, activation="tanh", dtype="float64") for _ in range(2)] for _ in range(3)]
    layers, x = tf.ReversibleLayers(pairs, dtype="float64"), tensorflow.zeros((2, 3, 8), "float64")
    layers(x)
    assert len(layers.trainable_variables) == 12
    with pytest.raises(ValueError, match="x must have an even width, got 7"):
        layers(x[..., 1:])
    copy = tf.ReversibleLayers.from_config(layers.get_config())
    assert [type(part) for one in copy.pairs for part in one] == [keras.layers.Dense] * 6
