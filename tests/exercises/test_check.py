"""What check says and survives; hints, progress, and what needs no framework."""

import contextlib
import itertools
import os
import re
import subprocess
import sys
import threading
import time
from functools import wraps

import both_frameworks  # noqa: F401
import numpy as np
import pytest

from attn_course.exercises import EXERCISES, check, hint, judge, progress, yours
from attn_course.exercises.engine import checking, run
from attn_course.exercises.engine.exercise import WORDS, Case, Exercise
from attn_course.exercises.engine.judge import _digits, draw_cases
from attn_course.exercises.engine.progress import decode, encode
from attn_course.exercises.engine.run import leaves
from attn_course.frameworks import tf, torch


def wrong(name, answer, capsys, **options):
    assert not check(name, answer, **options)
    return capsys.readouterr().out


def endless(*given):
    while True:
        pass


def stubborn(*given):
    while True:
        with contextlib.suppress(Exception):
            time.sleep(0.01)


def deep(*given):
    return deep(*given)


class Odd:
    def __array__(self, *args, **kwargs):
        raise OSError("no array")


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (lambda *given: ..., "not done yet: it returns nothing"),
        (lambda *given: None, "not done yet: it returns nothing"),
        (lambda *given: np.zeros(3), "the shape is (3,), expected ("),
        (lambda h, m: h[:, 0] * np.nan, "at (0, 0) it gives nan, expected "),
        (lambda h, m: 1 / 0, "it raised ZeroDivisionError: division by zero"),
        (lambda h, m: sys.exit(0), "it leaves Python (SystemExit)"),
        (lambda h, m: Odd(), "it raised OSError: no array"),
        (lambda h, m: object(), "the dtype is object, expected float32 or float64"),
        (lambda h, m: [["a"] * 5] * 5, "the dtype is <U1, expected float32 or float64"),
        (lambda h, m: h[:, 0].astype(np.float16), "the dtype is float16, expected float32 or float64"),
        (lambda h, m: torch.zeros(5, 5).bfloat16(), "the dtype is torch.bfloat16, expected float32 or float64"),
        (lambda *given: given, "it returns 2 things, expected one array"),
        (lambda *given: [[1], [1, 2]], "it raised ValueError: "),
        (lambda h, m, x: h, "it raised TypeError: "),
        (deep, "it raised RecursionError"),
        (np.zeros((3, 5)), "hand over the function itself, not: ndarray"),
        (None, "hand over the function itself, not: NoneType"),
    ],
)
def test_feedback(answer, words, capsys):
    assert words in wrong("01.last_state", answer, capsys)


def in_place(targets, begin):
    targets[:, 1:] = targets[:, :-1].copy()
    targets[:, 0] = begin
    return targets


def in_place_torch(targets, begin):
    return targets.roll(1, 1).index_fill_(1, torch.tensor([0]), begin) + targets.mul_(2) * 0


def test_arguments_changed_in_place_are_named(capsys):
    assert "it changes its argument 1 in place" in wrong("01.decoder_input", in_place, capsys)
    told = wrong("01.decoder_input", in_place_torch, capsys, framework="torch")
    assert "it changes its argument 1 in place" in told


@pytest.mark.parametrize("answer", [endless, stubborn])
def test_what_does_not_end_is_stopped(answer, capsys, monkeypatch):
    monkeypatch.setattr(run, "SECONDS", 0.2)
    before = threading.active_count()
    assert "stopped after 0.2 s" in wrong("01.last_state", answer, capsys)
    assert threading.active_count() <= before


def test_what_does_not_end_is_stopped_in_another_thread(capsys, monkeypatch):
    monkeypatch.setattr(run, "SECONDS", 0.2)
    found = []
    thread = threading.Thread(target=lambda: found.append(check("01.last_state", endless)))
    thread.start()
    thread.join(20)
    assert found == [False]


def test_success_is_constant_and_failure_repeats_with_its_seed(capsys):
    solution = EXERCISES["00.weights"].solution
    assert check("00.weights", solution) and check("00.weights", solution, seed=7)
    assert capsys.readouterr().out == "00.weights: correct\n" * 2
    first, second = (wrong("00.weights", lambda s: s * s, capsys) for _ in range(2))
    assert first != second
    seed = int(re.search(r"seed=(\d+)", first)[1])
    assert wrong("00.weights", lambda s: s * s, capsys, seed=seed) == first


def test_a_prediction_is_entered_first_and_then_compared(capsys):
    measure = EXERCISES["00.largest_weight"].solution
    for answer in (measure, (..., measure), ("much", measure), (None, measure), (1.0, 2.0, 3.0)):
        assert not check("00.largest_weight", answer)
    said = capsys.readouterr().out
    assert said.count("enter your prediction, a number, first") == 3
    assert said.count("hand over two things") == 2
    assert check("00.largest_weight", (0.6, measure)) and check("00.largest_weight", (0.95, measure))
    near, far = capsys.readouterr().out.splitlines()
    assert near == "00.largest_weight: correct; you predicted 0.6, it is 0.5999 (close: why?)"
    assert far == "00.largest_weight: correct; you predicted 0.95, it is 0.5999 (off: why?)"
    assert check("00.largest_weight", (torch.tensor(0.6), measure))


def test_a_project_takes_what_passed_and_is_not_the_pages_own(capsys, monkeypatch):
    monkeypatch.setattr(checking, "_passed", {})
    instead = EXERCISES["project.pad"].solution

    def my_pad(texts, characters):
        return instead(texts, characters)

    assert yours("project.pad", instead) is instead
    assert not check("project.pad", lambda texts, characters: 0)
    assert check("project.pad", my_pad) and check("project.pad", instead)
    assert yours("project.pad", instead) is my_pad
    assert yours("project.pad", instead, "torch") is instead and yours("project.pad") is instead
    with pytest.raises(ValueError, match="no exercise"):
        yours("project.none", instead)
    # Without the page's solution the course lends its own, which calls the parts that passed.
    step = EXERCISES["project.step"]
    for framework in ("torch", "tf"):
        assert judge(step, yours(step.name, framework=framework), framework, 0)[0] is None
    checking._passed["project.score", "torch"] = [instead]
    assert yours(step.name, framework="torch").__globals__["score_torch"] is instead


def test_a_part_without_a_gradient_is_refused(capsys):
    def cut(weights, memory):
        return (weights[:, None] @ memory)[:, 0].detach()

    def in_numpy(weights, memory):
        return (weights.numpy()[:, None] @ memory.numpy())[:, 0]

    told = "the gradients: argument 1 gets none: is it used, and is nothing detached?"
    assert told in wrong("project.context", cut, capsys, framework="torch")
    assert told in wrong("project.context", in_numpy, capsys, framework="tf")


def test_one_of_two_results_is_named(capsys):
    def flat(texts, characters):
        tokens, mask = EXERCISES["project.pad"].solution(texts, characters)
        return tokens, mask.ravel()

    assert "result 2 of 2: the shape is" in wrong("project.pad", flat, capsys)
    assert "it returns 1 thing, expected 2 arrays" in wrong("project.pad", lambda *given: np.zeros(3), capsys)


def test_starters_are_not_done_or_told_where_they_differ(capsys):
    for name, exercise in EXERCISES.items():
        if "numpy" not in exercise.starters:
            continue
        space = {}
        exec("import numpy as np\nfrom attn_course.exercises import softmax\n" + exercise.starters["numpy"], space)
        answer = space[exercise.solution.__name__]
        if exercise.kind == "predict":
            assert not check(name, (space["prediction"], answer))
        else:
            assert not check(name, answer)
        said = capsys.readouterr().out
        if exercise.kind == "bug":
            assert "not yet: this is the function as it was given: " in said
            assert any(word in said for word in ("it gives", "the shape is", "it raised")) and "case " in said
            assert not any(words in said for words in exercise.mistakes)
        else:
            assert "not done yet" in said


def test_module_exercises_say_what_they_need(capsys):
    assert "framework=" in wrong("05.layer", object, capsys)
    assert "torch.nn.Module" in wrong("05.layer", lambda *sizes: {}, capsys, framework="torch")
    bare = type("Bare", (torch.nn.Module,), {"__init__": lambda self, *sizes: torch.nn.Module.__init__(self)})
    assert "no trainable parameter named query_weight" in wrong("05.layer", bare, capsys, framework="torch")
    assert "is a keras.layers.Layer" in wrong("05.layer", lambda *sizes: 1, capsys, framework="tf")


def test_a_function_and_a_number(capsys):
    """Numbers come as Python's own, in every framework."""
    seen = []

    def answer(targets, begin):
        seen.append((type(targets).__name__, type(begin)))
        return targets

    for framework in ("numpy", "torch", "tf"):
        wrong("01.decoder_input", answer, capsys, framework=framework)
    assert {kind for _, kind in seen} == {int}
    assert {name for name, _ in seen} == {"ndarray", "Tensor", "EagerTensor"}
    assert tf.is_tensor(tf.constant(1))


def test_numbers_that_differ_look_different():
    assert _digits(1.0264, 1.0258) == "1.0264" and _digits(1.0258, 1.0264) == "1.0258"
    assert _digits(1.0, 2.0) == "1" and _digits(3, 4) == "3"
    assert _digits(0.1, 0.1 + 1e-12) != _digits(0.1 + 1e-12, 0.1)


def test_right_for_equal_sizes_alone_is_refused(capsys):
    solution = EXERCISES["05.self_attention"].solution
    told = wrong("05.self_attention", lambda x, *maps: solution(x, *maps) + (len(x) != x.shape[1]), capsys)
    assert 'case "sizes of different primes"' in told


def test_unknown_names():
    with pytest.raises(ValueError, match=r"no exercise '99.x'; see `attn-course"):
        check("99.x", None)
    with pytest.raises(ValueError, match=r"no exercise '00.weight'; near it: 00.weights"):
        check("00.weight", None)
    with pytest.raises(ValueError, match="framework must be numpy, torch or tf"):
        check("01.last_state", None, framework="jax")
    with pytest.raises(ValueError, match="number must be 1, 2 or 3, got 4"):
        hint("01.last_state", 4)


def test_hints_after_the_first_ask_for_a_try(capsys, monkeypatch):
    monkeypatch.setattr("attn_course.exercises.engine.checking._tried", set())
    hint("04.with_cache")
    hint("04.with_cache", 3)
    check("04.with_cache", lambda query, key, value: ...)
    hint("04.with_cache", 3)
    first, refused, _, third = capsys.readouterr().out.splitlines()
    assert first.startswith("04.with_cache, hint 1 of 3: ") and third.startswith("04.with_cache, hint 3 of 3: ")
    assert refused == "04.with_cache: try first; after a check of any answer hint 3 is printed"


def test_every_exercise_is_complete():
    numbers = []
    for number, names in itertools.groupby(EXERCISES, lambda name: name.partition(".")[0]):
        chapter = [EXERCISES[name] for name in names]
        assert len(chapter) >= 5
        if number.isdigit():
            kinds = {each.kind for each in chapter}
            assert {"predict", "bug"} <= kinds and kinds & {"write", "open"}
            assert ("module" in kinds) == (int(number) >= 2)
            numbers.append(int(number))
    assert numbers == sorted(set(numbers))


@pytest.mark.parametrize("exercise", EXERCISES.values(), ids=EXERCISES)
def test_an_exercise_has_all_its_texts(exercise):
    assert isinstance(exercise, Exercise) and re.fullmatch(r"(\d\d|project|lm)\.[a-z_]+", exercise.name)
    assert exercise.level in (1, 2, 3) and 5 <= exercise.minutes <= 30
    assert len(exercise.hints) == 3 and all(exercise.hints) and len(exercise.statement) > 80 and exercise.before
    both = exercise.kind in ("module", "part", "read")
    assert set(exercise.starters) == ({"torch", "tf"} if both else {"numpy"})
    assert set(exercise.answers) == ({"torch", "tf"} if both else set())
    texts = (*exercise.starters.values(), *exercise.answers.values())
    assert max(len(line) for text in texts for line in text.splitlines()) <= 84


def test_cases_are_named_and_vary():
    """Every function has different sizes, an axis of size 1, float32 or numbers, and no parameter that stays."""
    for name, exercise in EXERCISES.items():
        cases = [each for seed in range(5) for each in draw_cases(exercise, seed)]
        assert all(isinstance(each, Case) and each.name for each in cases)
        if exercise.kind in ("test", "open", "read"):  # functions, sizes or runs, not drawn numbers
            assert len(cases) >= (15 if cases[0].arguments else 5), name
            continue
        assert len({each.name for each in cases}) >= 3, name
        if exercise.kind == "module":
            continue
        for place in range(len(cases[0].arguments)):
            values = [each.arguments[place] for each in cases]
            kinds = {tuple(x.shape if isinstance(x, np.ndarray) else x for x in leaves(value)) for value in values}
            assert len(kinds) > 1, (name, place)
        if any(isinstance(value, np.ndarray) for value in cases[0].arguments):
            names = {each.name for each in cases}
            assert {"sizes of different primes", "an axis of size 1"} & names or exercise.kind == "predict", name
    assert len(set(WORDS.values())) == len(WORDS)


def test_progress_survives_as_a_string(capsys, tmp_path, monkeypatch):
    assert progress() == "none"
    check("01.padding_mask", EXERCISES["01.padding_mask"].solution)
    check("03.step", EXERCISES["03.step"].solution)
    code = progress()
    assert code == encode({"01.padding_mask", "03.step"}) and len(code) < 80
    monkeypatch.setenv("ATTN_COURSE_PROGRESS", str(tmp_path / "new" / "file.json"))
    assert progress() == "none" and progress(code) == code and progress() == code
    assert "chapter 01: x........ 1 of 9" in capsys.readouterr().out
    assert decode(encode(set(EXERCISES))) == set(EXERCISES)
    for bad in ("x", "00", "00-zz", "99-1", "00-fff", 7):
        with pytest.raises(ValueError, match="code must be a string that progress"):
            progress(bad)


def test_a_folder_that_cannot_be_written_is_no_fault(monkeypatch, tmp_path):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("ATTN_COURSE_PROGRESS", str(tmp_path / "file" / "below.json"))
    assert check("00.weights", EXERCISES["00.weights"].solution)
    assert progress() == "none"


@pytest.mark.parametrize("text", ['{"solved": ["00.wei', "[]", '{"done": []}', "\x00\x00"])
def test_a_file_that_cannot_be_read_is_kept_aside(tmp_path, capsys, text):
    path = tmp_path / "progress.json"
    path.write_text(text)
    assert progress() == "none" and path.read_text() == text, "looking changes nothing"
    assert check("00.weights", EXERCISES["00.weights"].solution)
    assert (tmp_path / "progress-1.unreadable").read_text() == text
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "progress.json can't be read; it is kept as progress-1.unreadable" in said
    assert progress() == encode({"00.weights"})
    path.write_text("half")
    assert check("00.weights", EXERCISES["00.weights"].solution)
    assert (tmp_path / "progress-2.unreadable").read_text() == "half"
    assert (tmp_path / "progress-1.unreadable").read_text() == text


def test_no_framework_is_imported_by_checking():
    code = (
        "import sys; from attn_course.exercises import EXERCISES, check\n"
        "for name, each in EXERCISES.items():\n"
        "    if each.kind in ('module', 'read'): continue\n"
        "    answer = (1.0, each.solution) if each.kind == 'predict' else each.solution\n"
        "    assert check(name, answer); assert not check(name, lambda *given: 0.5)\n"
        "assert not {'torch', 'tensorflow', 'keras'} & set(sys.modules)"
    )
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, env=os.environ)
    assert done.returncode == 0, done.stderr


def test_several_results_may_be_a_list():
    """As right as a tuple, gradients and measures included."""
    drawn = {name: draw_cases(each, 1) for name, each in EXERCISES.items() if each.kind != "test"}
    several = [name for name, cases in drawn.items() if cases[0].several]
    assert len(several) > 20 and {"00.bowl", "project.pad", "lm.attend", "10.far"} <= {*several}
    for name in several:
        solution = EXERCISES[name].solution
        assert check(name, wraps(solution)(lambda *given, solution=solution: list(solution(*given))), seed=1), name
