"""Live figures: outputs, code and weights; what their models get right; tests/site/test_live.py has the page."""

import base64
import gzip
import hashlib
import html
import io
import json
import re
import tomllib
from pathlib import Path

import numpy as np
import pytest

import experiments
from attn_course import pytorch as names
from attn_course.core.frameworks import torch
from attn_course.course.labs.dates import task
from attn_course.course.labs.generate.pytorch import load_glassllm
from attn_course.course.labs.pronoun import pytorch as pronoun
from attn_course.course.labs.seq2seq import build
from attn_course.course.plots import live as module
from attn_course.course.plots.explore import MARK, code
from attn_course.course.plots.explore.widget import LIVE
from attn_course.course.plots.live.weights import MODELS, packed, script, size
from attn_course.parity import get_parameters, set_parameters
from attn_course.records import load_record
from attn_course.tasks import live as store, pronoun as pronoun_task
from attn_course.tasks.dates import load_dates, source_vocabulary, target_vocabulary
from attn_course.tasks.sentences import load_sentences
from experiments import live as training, sentences

ALT = "a picture"
MAKERS = {kind: getattr(module, kind) for kind in LIVE}
EACH = pytest.mark.parametrize("kind", list(MAKERS))
PAGES = {
    "live_dates": "02_bahdanau",
    "live_reader": "05_self_attention",
    "live_translate": "09_transformer",
    "live_writer": "13_mqa_gqa",
}
BUILT = {
    "live_dates": lambda: build(names, task(), attention=True),
    "live_reader": lambda: pronoun.Reader(None),
    "live_translate": lambda: sentences.build("Transformer", 0),
    "live_writer": load_glassllm,
}


def ours(kind, name):
    """A parameter of a page's file, as the package's model calls it; a language model has a stack alone."""
    return name.replace("encoder.", "stack.") if kind == "live_writer" else name


def stored(kind):
    model = BUILT[kind]()
    set_parameters(model, {ours(kind, name): x for name, x in MODELS[kind].parameters().items()})
    return model


def test_every_kind_is_listed():
    assert list(MAKERS) == list(LIVE) == list(MODELS)
    assert set(MAKERS) <= set(module.__all__)


@EACH
def test_the_output_is_a_picture_and_inline_it_carries_code_and_weights(kind):
    plain, whole = MAKERS[kind](alt=ALT), MAKERS[kind](alt=ALT, inline=True)
    output = plain._repr_html_()
    assert output == MAKERS[kind](alt=ALT)._repr_html_() and plain.picture == whole.picture
    assert MARK not in output and len(output) < 5_000 and f'data-kind="{kind}"' in output
    assert plain.data["weights"].startswith(f"{script(kind)[0]}?v=") and plain.data["size"] == size(kind)
    assert whole.data["file"] == packed(kind) and f"<script {MARK}>{code(kind)}</script>" in whole._repr_html_()
    with pytest.raises(ValueError, match="alt must say"):
        MAKERS[kind](alt=" ")


@EACH
def test_the_code_is_small_and_names_no_address(kind):
    own = code(kind)
    assert re.findall(r"^KINDS\.(\w+) = ", own, re.MULTILINE) == [kind]
    assert len(own.encode()) < 46_000 and "attnLive" not in code("steps")
    assert "://" not in own and "import(" not in own and "fetch(" not in own and "</script" not in own.lower()
    assert not re.search(r"XMLHttpRequest|sendBeacon|WebSocket|localStorage|sessionStorage|cookie", own)


def test_the_code_files_are_part_of_the_package():
    used = {"live", *LIVE, *(model for models in LIVE.values() for model in models)}
    assert {path.stem for path in Path(module.__file__).parent.glob("*.js")} == used
    project = tomllib.loads((experiments.ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    data = project["tool"]["setuptools"]["package-data"]["attn_course"]
    assert {"course/plots/live/*.js", "course/plots/live/*.css", "tasks/**/*.npz"} <= set(data)


@EACH
def test_the_page_s_file_holds_the_parameters_of_the_package_s_model(kind):
    name, text = script(kind)
    assert len(text.encode()) < 2_000_000  # at most, on a click
    start, end = text.index("{"), text.rindex("}") + 1
    assert text[:start] == f'attnWeights("{name.removesuffix(".weights.js")}", ' and text[end:] == ");\n"
    data = json.loads(text[start:end])
    high, low = np.frombuffer(gzip.decompress(base64.b64decode(data["packed"])), np.uint8).reshape(2, -1)
    numbers = np.stack([low, high], -1).ravel().view("<f2").astype(np.float32)
    wanted = get_parameters(stored(kind))
    assert data["parameters"] and {ours(kind, key) for key, _ in data["parameters"]} == set(wanted)
    for key, shape in data["parameters"]:
        found, numbers = numbers[: np.prod(shape)].reshape(shape), numbers[np.prod(shape) :]
        as_it_is = found.ndim == 1 or key.endswith("embedding.weight")  # else a row per output
        np.testing.assert_array_equal(found, wanted[ours(kind, key)] if as_it_is else wanted[ours(kind, key)].T)
    assert not numbers.size


# --- The weights ------------------------------------------------------------------------------------------------------


def test_sums_and_scores_stand_in_the_record_and_the_readme():
    told = (store.HERE / "README.md").read_text(encoding="utf-8")
    rows = [row for row in load_record("live")["rows"] if "file" in row]
    assert [row["file"] for row in rows] == ["sentences.npz", "dates.npz", "reader.npz"]
    assert {path.name for path in store.HERE.glob("*.npz")} == {row["file"] for row in rows}
    for row in rows:
        found = hashlib.sha256((store.HERE / row["file"]).read_bytes()).hexdigest()
        assert row["sha256"] == found and f"`{row['file']}`" in told and found in told
        assert f"{row['parameters']:,}" in told and "MIT" in told
        for score in ("dev", "exact", "typed", "pairs"):
            assert score not in row or row[score] > 0.999 or f"{100 * row[score]:.1f}%" in told


def test_an_unknown_name_is_told():
    with pytest.raises(ValueError, match="no model of the record 'live' has the name 'date'"):
        store.load_weights("date")


def test_the_date_model_writes_what_its_record_says():
    model, row, test = stored("live_dates"), store.trained("dates"), load_dates("test").take(range(600))
    assert training.date_score(model, test) >= 0.995 <= row["exact"]
    assert training.date_score(model, test, np.random.default_rng(3)) >= 0.95 and row["typed"] >= 0.97
    assert_shown(training.date_shown(model, row["shown"][0]), row)


def test_the_translating_model_writes_what_its_record_says():
    model, row = stored("live_translate"), store.trained("sentences")
    assert sentences.exact(model, load_sentences("test").take(range(200))) >= 0.98 <= row["exact"]
    assert row["dev"] == max(row["devs"].values()) >= 0.99
    german, english, _ = row["shown"]
    assert_shown(
        [german, *sentences.write(model, [german]), training.told(sentences.looked(model, german, english))], row
    )


def test_the_reader_answers_what_its_record_says():
    model, row = stored("live_reader"), store.trained("reader")
    test = pronoun_task.sentences("test")
    found, _ = pronoun.guess(model, test.words)
    assert (found == test.answer).mean() == row["exact"] == 1
    text = row["shown"][0]
    found, (_, second) = pronoun.guess(model, pronoun_task.encode(text)[None])
    assert_shown([text, pronoun_task.WORDS[found[0]], training.told(second[0])], row)


def assert_shown(found, row):
    assert found[:2] == row["shown"][:2]
    np.testing.assert_allclose(found[2], row["shown"][2], atol=0.002)


def test_the_picture_s_text_is_the_language_model_s():
    assert training.writer() == store.trained("glassllm")


# --- The program that makes them --------------------------------------------------------------------------------------


def test_typed_dates_keep_their_digits():
    rng, texts = np.random.default_rng(0), load_dates("dev").sources[:200]
    typed = [training.typed(text, rng) for text in texts]
    digits = [re.sub(r"\D", "", text) for text in typed]
    assert digits == [re.sub(r"\D", "", text) for text in texts]
    changed = np.mean([one != other for one, other in zip(typed, texts, strict=True)])
    assert 0.5 < changed < 1 and any(len(one) < len(other) for one, other in zip(typed, texts, strict=True))


def test_unknown_signs_hide_no_digit_and_leave_the_dates_as_they_are():
    batch, train = training.date_batch(np.random.default_rng(0)), load_dates("train")
    as_they_are = source_vocabulary().encode(train.sources)[0]
    width = as_they_are.shape[1]
    np.testing.assert_array_equal(batch.source[: len(train.sources), :width], as_they_are)
    hidden = batch.source[len(train.sources) :] == 3
    assert 0.01 < hidden.sum() / batch.source_mask[len(train.sources) :].sum() < 0.03  # with capitals never seen
    read = np.isin(batch.source, source_vocabulary().encode(list("0123456789"))[0])
    assert (read.sum(1)[: len(train.sources)] == read.sum(1)[len(train.sources) :]).all()


def test_the_rate_falls_at_the_end_only():
    rates = [training.level_then_down(step, 100, 2.0) for step in (1, 60, 80, 100)]
    assert rates == pytest.approx([2.0, 2.0, 1.1, 0.2])


def small(monkeypatch, ran):
    """Models of two numbers in place of those that take minutes; the fourth is stopped by Ctrl-C."""

    def maker(name):
        def make(seed):
            if len(ran) == 3:
                raise KeyboardInterrupt
            ran.append((name, seed))
            model = torch.nn.Linear(2, 1)
            torch.nn.init.constant_(model.weight, seed / 4)
            return model, {"dev": {1: 0.5, 2: 0.9, 3: 0.7}[seed]}

        return make

    monkeypatch.setattr(training, "MAKERS", {name: maker(name) for name in training.MAKERS})


def test_the_best_on_dev_is_kept(monkeypatch):
    small(monkeypatch, [])
    row, file = training.best_of([training.made("dates", seed)[0] for seed in (1, 2, 3)])
    assert row["seed"] == 2 and row["dev"] == 0.9 and row["devs"] == {1: 0.5, 2: 0.9, 3: 0.7}
    assert hashlib.sha256(file).hexdigest() == row["sha256"] and row["parameters"] == 3 and "weights" not in row
    np.testing.assert_array_equal(np.load(io.BytesIO(file))["weight"], np.full((2, 1), 0.5))


def test_stopped_it_goes_on(tmp_path, monkeypatch, capsys):
    """What each model and seed gave is kept, with its weights; files and record are written at the end."""
    monkeypatch.setattr(experiments, "RECORDS", tmp_path)
    monkeypatch.setattr(experiments, "RUNS", tmp_path / "runs")
    monkeypatch.setattr(training, "HERE", tmp_path)
    monkeypatch.setattr(training, "writer", lambda: {"model": "glassllm"})
    monkeypatch.setattr("sys.argv", ["live", "--seeds", "1", "2", "3"])
    first, then = [], []
    small(monkeypatch, first)
    with pytest.raises(SystemExit):
        training.main()
    assert capsys.readouterr().err == "\nstopped: what is done is kept; the same command goes on\n"
    assert first == [("sentences", seed) for seed in (1, 2, 3)] and not list(tmp_path.glob("*.*"))
    small(monkeypatch, then)
    training.main()
    assert then == [("dates", 1), ("reader", 1)] and not list((tmp_path / "runs").iterdir())
    rows = json.loads((tmp_path / "live.json").read_text(encoding="utf-8"))["rows"]
    for row in rows[:-1]:
        assert hashlib.sha256((tmp_path / row["file"]).read_bytes()).hexdigest() == row["sha256"]


# --- The chapters -----------------------------------------------------------------------------------------------------


@EACH
def test_its_chapter_has_the_figure_and_the_committed_output_is_the_picture(kind):
    path = experiments.ROOT / "book" / f"{PAGES[kind]}.ipynb"
    cells = [cell for cell in json.loads(path.read_text(encoding="utf-8"))["cells"] if cell["cell_type"] == "code"]
    (cell,) = [cell for cell in cells if f"{kind}(" in "".join(cell["source"])]
    (output,) = ["".join(one["data"]["text/html"]) for one in cell["outputs"]]
    made = MAKERS[kind](alt=html.unescape(re.search(r'<img alt="([^"]*)"', output)[1]))
    assert output == made._repr_html_()


def test_target_signs_are_those_of_iso_dates():
    assert packed("live_dates")["target"] == target_vocabulary().characters == tuple("-0123456789")
