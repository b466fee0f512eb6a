"""No wrong answer passes and no right one fails; what a wrong one is told is counted and printed."""

import inspect
import itertools

import numpy as np
import pytest
from mutants import mutants, spoiled
from right import RIGHT
from wrong_answers import WRONG

from attn_course.exercises import EXERCISES, judge, run, softmax
from attn_course.exercises.exercise import edited, known_mistakes, source_of
from attn_course.exercises.judge import _is_starter, caller, draw_cases, first_fault, from_text, run_cases
from attn_course.exercises.run import Outcome, expected, into
from attn_course.frameworks import keras, tf, torch

FUNCTIONS = [name for name, each in EXERCISES.items() if each.kind != "module"]
MODULES = [name for name, each in EXERCISES.items() if each.kind == "module"]
SEEDS = range(20)
# Changes of a solution that change nothing, or that only swap equal things: part of the mutant's text.
ALWAYS = ("axis=-1", "shape[-1]", "reshape(-2")
SAME = {
    "00.soft_lookup": ("np.sqrt(query.shape[1])",),
    "00.multiplications": ("arguments 1 and 2 ", "arguments 3 and 4 "),
    "00.largest_weight": ("(2, count)", "[-1, 0]", "[0, -1]"),
    "01.last_state": ("len(mask)",),
    "01.run": ("(state_weight.shape[1]", "state_weight.shape[1])", "range(mask", "mask.shape[0]"),
    "02.masked_weights": ("== 0, 2", "== 0, -1", "(highest), 1", "(highest), -1"),
    "02.step": ("[:, :, -1]", "[:, -1]"),
    "03.local_weights": ("half_width / -2",),
    "03.step": ("[:, :, -1]", "[:, -1]"),
    "03.window_sum": ("half_width / -2",),
    "04.attention": ("(highest), 1", "(highest), -1", "== 0, 2", "== 0, -1", "np.sqrt(query.shape[1])"),
    "04.with_cache": ("np.sqrt(query.shape[1])",),
    "04.entropy": ("weights, 2)",),
    "05.weight_bytes": ("arguments 1 and 2 ", "arguments 3 and 4 "),
    "06.split_heads": ("swapaxes(1, -2)",),
    "09.embed": ("waves.shape[1]",),
    "09.smoothed_loss": ("log_chance.shape[1]", "flat"),
    "07.alibi": ("value.shape[1]", "between = "),
    "11.recurrent": ("zeros(query", "zeros((query", "range(len(query)", "range(len(value)"),
    "11.chunks": ("range(0, len(query)", "range(0, len(value)", "zeros(query", "zeros((query"),
    "11.delta": (
        *(f"range(len({name})" for name in ("key", "value", "beta", "decay")),
        *(f"zeros((len({name})" for name in ("key", "value", "beta", "decay")),
        "zeros((query",
    ),
    "11.features": ("rows.shape[1] **",),
    "13.grouped": ("value.shape[:2]", "T, -2", "swapaxes(-2, 3)"),
    "13.decode": ("len(value)", "len(past_", "H, -2"),
    "13.ring": ("p <= sinks", "flat"),
    "13.cache_size": ("arguments 3 and 4 ",),
    "14.tiled": ("np.sqrt(query.shape[1])", "-np.inf), 1, 0", "-np.inf), -1, 0", "0, 1)", "0, -1)", "len(value)"),
    "14.backward": ("np.sqrt(query.shape[1])",),
    "10.strided": ("back <= stride",),
    "10.window": ("n, K = key.shape",),
    "10.fixed": ("n, K = key.shape",),
    "15.turns": ("theta <= 2", "return (trained"),
    "15.yarn": ("ends[-1]", "squeezed", "flat"),
}


def outcome_of(name, answer, seed, framework="numpy"):
    """None for an answer that passes, else what it is told."""
    exercise = EXERCISES[name]
    if exercise.kind == "predict":
        answer = (1.0, answer)
    return judge(exercise, answer, framework, seed)[0]


def passes(name, answer, seed):
    """Whether it passes, without the search for its mistake."""
    exercise = EXERCISES[name]
    cases = draw_cases(exercise, seed)
    found = run_cases(exercise, cases, answer, "numpy", 5.0)
    return first_fault(exercise, cases, found, named=False) is None


def made(text):
    space = {"np": np, "softmax": softmax, "torch": torch, "tf": tf, "keras": keras}
    exec(text, space)
    return space["Own" if "class Own" in text else "f"]


@pytest.mark.parametrize("name", FUNCTIONS)
def test_right_answers_pass_with_every_seed(name):
    """The solution; the solution in float32 tensors of either framework, with a gradient; others' spellings."""
    exercise = EXERCISES[name]

    def in_torch(*given):
        arrays = [np.asarray(each) if torch.is_tensor(each) else each for each in given]
        result = torch.tensor(np.asarray(exercise.solution(*arrays)))
        return result.float().requires_grad_() if result.is_floating_point() else result

    def in_tf(*given):
        arrays = [np.asarray(each) if tf.is_tensor(each) else each for each in given]
        result = tf.constant(exercise.solution(*arrays))
        return tf.cast(result, tf.float32) if result.dtype.is_floating else result

    answers = [("numpy", exercise.solution), ("torch", in_torch), ("tf", in_tf)]
    answers += [(framework, made(text)) for framework, text in RIGHT.get(name, ())]
    assert len(answers) >= 3
    for framework, answer in answers:
        for seed in SEEDS if answer is exercise.solution else range(3):
            assert outcome_of(name, answer, seed, framework) is None, (framework, seed)


@pytest.mark.parametrize("name", MODULES)
def test_right_modules_pass(name):
    answers = [(framework, from_text(text)) for framework, text in EXERCISES[name].answers.items()]
    answers += [(framework, made(text)) for framework, text in RIGHT.get(name, ())]
    assert {framework for framework, _ in answers} == {"torch", "tf"}
    for framework, answer in answers:
        for seed in range(5) if framework == "torch" else range(2):
            assert outcome_of(name, answer, seed, framework) is None, (framework, seed)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_known_mistake_is_refused_and_named(name):
    exercise = EXERCISES[name]
    cases = draw_cases(exercise, 0)
    for words, mistake in itertools.islice(known_mistakes(exercise), len(exercise.mistakes)):
        assert mistake is not None, f"no such text in the solution: {words}"
        for seed in (1, 2):
            told = outcome_of(name, mistake, seed)
            found = run_cases(exercise, cases, mistake, "numpy")
            if _is_starter(exercise, cases, found):
                assert words not in told
            else:
                assert told == f"not yet: {words} (seed={seed})"


def pool_of(name):
    exercise = EXERCISES[name]
    pool = dict(mutants(exercise.solution))
    pool |= spoiled(exercise.solution, draw_cases(exercise, 0)[0].arguments)
    same = (*ALWAYS, *SAME.get(name, ()))
    return {text: answer for text, answer in pool.items() if not any(part in text for part in same)}


COUNTS = {}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_wrong_answers_made_by_a_machine_are_refused(name):
    pool = pool_of(name)
    assert len(pool) >= 12
    passed = [text for text, answer in pool.items() if passes(name, answer, 3)]
    assert not passed
    COUNTS[name] = len(pool)


@pytest.mark.parametrize("name", MODULES)
def test_wrong_modules_are_refused_and_named(name):
    """Each known mistake as a module: the NumPy function's numbers, with gradients by differences."""
    exercise = EXERCISES[name]
    call = caller(exercise)
    for words, mistake in itertools.islice(known_mistakes(exercise), len(exercise.mistakes)):
        assert mistake is not None, f"no such text in the solution: {words}"
        cases = [case._replace(single=True) for case in draw_cases(exercise, 1)]
        found = []
        for case in cases:
            try:
                found.append(Outcome(expected(call, mistake, case)))
            except ValueError:  # widths that differ can't be mixed up
                found.append(Outcome(error="it raised"))
        assert first_fault(exercise, cases, found) == (words, None)


EDITS = {  # of the solutions in PyTorch: what is written differently -> how
    "02.layer": (
        ("torch.tanh(asked + held)", "(asked + held)"),
        ("~mask", "mask"),
        ("dim=-1", "dim=1"),
        ("-torch.inf", "-5.0"),
        (" @ memory", " @ memory.detach()"),
        ("torch.randn(*size) / 4", "torch.randn(*size, 1)"),
        ("self.score_weight", "self.score"),
        ("[:, None]\n        score", "[:, :1]\n        score"),
        ("return ", "x = "),
        ("asked + held", "asked - held"),
        ("torch.softmax", "torch.log_softmax"),
        ("torch.tanh(asked + held)", "torch.tanh(asked + held).detach()"),
        ("torch.nn.Parameter(", "("),
    ),
    "03.layer": (
        ("~mask", "mask"),
        ("-torch.inf", "-5.0"),
        ("dim=-1", "dim=1"),
        ("query @ self.weight", "query"),
        ("memory.mT", "memory.mT / 2"),
        ("@ self.weight", "@ self.weight.detach()"),
        ("return ", "x = "),
        ("torch.nn.Parameter(start)", "start"),
        ("self.weight", "self.own"),
        ("(query_dim, memory_dim)", "(memory_dim, query_dim)"),
        (" @ memory\n", " @ memory, score\n"),
        ("torch.softmax(score, dim=-1)", "score.exp() / score.exp().sum(-1, keepdim=True)"),
    ),
    "04.layer": (
        ("~mask", "mask"),
        ("-torch.inf", "-5.0"),
        ("dim=-1", "dim=0"),
        (" / memory.shape[-1] ** 0.5", ""),
        ("0.5", "1"),
        ("@ self.query", "@ self.query.detach()"),
        ("return ", "x = "),
        ("self.query", "self.asked"),
        ("[:, 0]", ""),
        ("torch.randn(model_dim)", "torch.randn(model_dim, 1)"),
        ("@ memory)", "@ memory.detach())"),
        ("torch.softmax(score, dim=-1)", "score.exp() / score.exp().sum(-1, keepdim=True)"),
    ),
    "05.layer": (
        (" / key.shape[-1] ** 0.5", ""),
        ("0.5", "1"),
        ("dim=-1", "dim=1"),
        ("key.mT", "key.detach().mT"),
        ("return ", "y = "),
        ("self.key_weight", "self.key"),
        ("(x @ self.value_weight)", "x"),
        ("key.shape", "x.shape"),
        ("@ key.mT", "@ query.mT"),
        ("x @ self.query_weight, x", "x @ self.key_weight, x"),
        ("torch.nn.Parameter(", "("),
        ("query @ key.mT", "key @ query.mT"),
    ),
    "06.layer": (
        (" / key.shape[-1] ** 0.5", ""),
        ("key.shape", "x.shape"),
        ("dim=-1", "dim=1"),
        (" @ self.output_weight", ""),
        ("context.transpose(1, 2).flatten(2)", "context.reshape(x.shape)"),
        ("(H, -1)).transpose(1, 2)", "(-1, H)).permute(0, 3, 1, 2)"),
        ("H = self.num_heads", "H = 1"),
        ("key.mT", "key.detach().mT"),
        ("return ", "y = "),
        ("self.key_weight", "self.key"),
        ("value = split(x @ self.value_weight)", "value = split(x)"),
        ("torch.nn.Parameter(", "("),
    ),
    "07.layer": (
        ("[positions]", "[:len(positions)]"),
        ("x + ", ""),
        ("self.table[", "self.table.detach()["),
        ("x + ", "x * "),
        ("self.table", "self.own"),
        ("(length, model_dim)", "(model_dim, length)"),
        ("return ", "y = "),
        ("[positions]", "[positions - 1]"),
        ("torch.nn.Parameter(start)", "start"),
        ("x + ", "x.detach() + "),
        ("[positions]", "[positions[0]]"),
        ("x + ", "2 * x + "),
    ),
    "15.layer": (
        ("+ 1.0", "+ 2.0"),
        (" + self.bias[:, None]", ""),
        ("torch.log(positions + 1.0)", "positions + 1.0"),
        ("self.scale[:, None]", "self.scale.detach()[:, None]"),
        ("self.bias[:, None]", "self.bias.detach()[:, None]"),
        ("query * ", "query + "),
        ("query * ", "query.detach() * "),
        ("factor[:, :, None]", "factor[:1, :, None]"),
        ("return ", "y = "),
        ("self.scale", "self.own"),
        ("torch.nn.Parameter(torch.ones(num_heads))", "torch.ones(num_heads)"),
        ("torch.zeros(num_heads)", "torch.zeros(1)"),
    ),
    "09.across": (
        ("return x + ", "return "),
        ("return x + ", "return x.detach() + "),
        ("/ query.shape[-1] ** 0.5", "/ query.shape[-1]"),
        (" / query.shape[-1] ** 0.5", ""),
        ("dim=-1", "dim=1"),
        ("x @ self.query_weight, memory @ self.key_weight", "x @ self.key_weight, memory @ self.query_weight"),
        ("(memory @ self.value_weight)", "memory"),
        ("(memory @ self.value_weight)", "(memory.detach() @ self.value_weight)"),
        ("weights @", "weights.detach() @"),
        ("torch.nn.Parameter(start)", "start"),
        ('"_weight"', '"_map"'),
        ("return x +", "y = x +"),
    ),
    "08.block": (
        ("return x + ", "return "),
        ("return x + ", "return y + "),
        ("return x + ", "return x.detach() + "),
        ("torch.relu(y @ self.inner)", "(y @ self.inner)"),
        ("torch.relu(y @ self.inner) @ self.outer", "torch.relu(y @ self.inner @ self.outer)"),
        ("torch.relu(", "torch.nn.functional.gelu("),
        (" * self.scale", ""),
        (" + self.bias", ""),
        ("variance + 1e-5", "variance + 1e-1"),
        ("x - x.mean(dim=-1, keepdim=True)", "x"),
        ("dim=-1", "dim=1"),
        ("torch.sqrt(variance + 1e-5)", "(variance + 1e-5)"),
        ("centered / torch", "centered.detach() / torch"),
        ("torch.relu(y @", "torch.relu(x @"),
        ("new(torch.ones(model_dim))", "torch.ones(model_dim)"),
    ),
    "11.layer": (
        ("* state + write", "+ state + write"),
        ("torch.sigmoid(x @ self.gate_weight)", "x @ self.gate_weight"),
        ("state = decay[:, t, None, None] * state + write", "state = write"),
        ("decay[:, t,", "decay[:, 0,"),
        ("query[:, t : t + 1] @ state", "key[:, t : t + 1] @ state"),
        ("* value[:, t, None]", "* value[:, 0, None]"),
        ("key[:, t, :, None]", "key[:, t - 1, :, None]"),
        ("self.key_weight", "self.own_weight"),
        ("x @ self.value_weight", "x.detach() @ self.value_weight"),
        ("torch.cat(outputs, dim=1)", "torch.cat(outputs[::-1], dim=1)"),
        ("return ", "y = "),
        ("torch.nn.Parameter(", "("),
        ("outputs.append(query[:, t : t + 1] @ state)", "outputs.append(query[:, t : t + 1] @ write)"),
    ),
    "12.layer": (
        (" / D ** 0.5", ""),
        ("0.5", "1"),
        ("dim=-1", "dim=1"),
        ("[:, :T]", "[:, -T:]"),
        ("self.value_projection[:, :T] @ value", "self.key_projection[:, :T] @ value"),
        ("key.mT", "key.detach().mT"),
        ("return ", "y = "),
        ("self.key_weight", "self.own"),
        ("value = x @ self.value_weight", "value = x"),
        ("torch.nn.Parameter(", "("),
        ("new(rank, length)", "new(length, rank)"),
        ("x @ self.query_weight", "x @ self.key_weight"),
    ),
    "13.layer": (
        (" / K ** 0.5", ""),
        ("K ** 0.5", "K"),
        ("dim=-1", "dim=-2"),
        ("(G, H // G, K))", "(H // G, G, K)).transpose(2, 3)"),
        ("context.flatten(2)", "context.transpose(2, 3).flatten(2)"),
        (" @ self.output_weight", ""),
        ("'btghk,bsgk->bghts', query, key", "'btghk,bsgk->bghts', query.detach(), key"),
        ("x @ self.value_weight", "x @ self.key_weight"),
        ("return ", "y = "),
        ("self.key_weight", "self.key"),
        ("torch.nn.Parameter(", "("),
        ("new(G * D // H)", "new(D)"),
        ("weights, value)", "weights, key)"),
    ),
    "14.layer": (
        ("~mask", "mask"),
        ("-torch.inf", "-5.0"),
        ("[score, sink], 1), 1)", "[score, sink], 1), 0)"),
        (" / memory.shape[-1] ** 0.5", ""),
        ("0.5", "1"),
        ("@ self.query", "@ self.query.detach()"),
        ("return ", "x = "),
        ("self.query", "self.asked"),
        ("[:, 0]", ""),
        ("self.sink.expand", "self.sink.detach().expand"),
        ("@ memory)", "@ memory.detach())"),
        ("torch.cat([score, sink], 1)", "torch.cat([score, 0 * sink], 1)"),
        ("torch.cat([score, sink], 1)", "torch.cat([sink, score], 1)"),
    ),
    "10.layer": (
        ("back < self.window", "back <= self.window"),
        ("(back >= 0) & ", ""),
        (" & (back < self.window)", ""),
        (" / x.shape[2] ** 0.5", ""),
        ("-torch.inf", "-5.0"),
        ("torch.softmax(score, -1)", "torch.softmax(score, 1)"),
        ("i[:, None] - i", "i - i[:, None]"),
        ("key.mT", "key.detach().mT"),
        ("return ", "y = "),
        ("_weight", "_map"),
        ("torch.nn.Parameter(start)", "start"),
        ("@ (x @ self.value_weight)", "@ x"),
    ),
}


@pytest.mark.parametrize("name", MODULES)
def test_wrong_modules_in_pytorch_are_refused(name):
    text = EXERCISES[name].answers["torch"]
    assert len(EDITS[name]) >= 12
    for old, new in EDITS[name]:
        assert old in text, old
        answer = from_text(text.replace(old, new))
        assert outcome_of(name, answer, 1, "torch") is not None, (old, new)


def test_wrong_answers_of_people_are_refused(capsys):
    told = {(name, text): outcome_of(name, made(text), 2) for name, texts in WRONG.items() for text in texts}
    assert all(told.values()), [key for key, words in told.items() if not words]
    # The starter of a bug is one of them: it is told where it differs, not what it is.
    specific = "in place", "axis of size 1 is lost"
    named = sum("case " not in words or any(x in words for x in specific) for words in told.values())
    with capsys.disabled():
        print(f"\nwrong answers, whole functions: {len(told)}, told what it is: {named / len(told):.0%}", end="")
    assert named / len(told) >= 0.7


def test_shares_of_specific_answers(capsys):
    """How often a wrong answer is told what it is, over mutants and every pair of mistakes that can be made."""
    told, named = {"mutants": 0, "pairs": 0}, {"mutants": 0, "pairs": 0}
    for name in FUNCTIONS:
        exercise = EXERCISES[name]
        wrong = {"mutants": [f for text, f in itertools.islice(mutants(exercise.solution), 0, None, 40)], "pairs": []}
        pairs = list(known_mistakes(exercise))[len(exercise.mistakes) :]
        wrong["pairs"] = [f for _, f in pairs[::100]]
        for kind, answers in wrong.items():
            for answer in answers:
                words = outcome_of(name, answer, 5)
                told[kind] += words is not None
                named[kind] += words is not None and "case " not in words
    with capsys.disabled():
        for kind, count in told.items():
            print(f"\nwrong answers, {kind}: {count}, told what it is: {named[kind] / count:.0%}", end="")
        print(f"\nmutants and spoiled answers refused: {sum(COUNTS.values())}")
    assert named["pairs"] / told["pairs"] > 0.7


def test_solutions_are_short_and_self_contained():
    """A page shows them: their source names nothing but NumPy and softmax."""
    for name, exercise in EXERCISES.items():
        source = source_of(exercise.solution)
        assert len(source.splitlines()) <= 15, name
        names = set(exercise.solution.__code__.co_names) & set(exercise.solution.__globals__)
        assert names <= {"np", "softmax"}, name
        assert edited(exercise.solution) is not None
        assert inspect.signature(exercise.solution)


def test_into_keeps_numbers():
    assert into("torch", (2, 0.5, True)) == (2, 0.5, True)
    assert run.FRAMEWORKS == ("numpy", "torch", "tf")
