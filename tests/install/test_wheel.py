"""The wheel with PyTorch alone, with TensorFlow alone, with neither; and a chapter from an empty folder."""

import shutil

import nbformat
import pytest
from conftest import ROOT

FACES = {"torch": "pytorch", "tf": "tf"}
OTHER = {"torch": "tf", "tf": "torch"}
# What a user does first: a layer, a mask, and the specification with the same parameters.
USE = """
import sys
import numpy as np
import attn_course
from attn_course.{face} import AdditiveAttention, BahdanauDecoder, EncoderDecoder, RecurrentEncoder
from attn_course.frameworks import {module} as library
from attn_course.masks import padding_mask
from attn_course.parity import get_parameters
from attn_course.reference import additive_attention

rng, layer = np.random.default_rng(0), AdditiveAttention(4, 6, 8)
query, memory = rng.normal(size=(2, 3, 4)).astype("f"), rng.normal(size=(2, 5, 6)).astype("f")
mask = padding_mask([5, 3], 5)
convert = library.from_numpy if "{face}" == "pytorch" else library.constant
context, weights = layer(convert(query), convert(memory), convert(mask))
found = context.detach().numpy() if "{face}" == "pytorch" else context.numpy()
expected, _ = additive_attention(query, memory, get_parameters(layer), mask)
assert abs(found - expected).max() < 1e-5 and abs(expected).max() > 1e-2

sizes = {{"vocab_size": 20, "embedding_dim": 4, "hidden_dim": 3}}
decoder = BahdanauDecoder(**sizes, memory_dim=6, attention_dim=5)
model = EncoderDecoder(RecurrentEncoder(**sizes), decoder)
tokens, _ = model.greedy(convert(rng.integers(0, 20, (2, 5))), convert(mask), begin=1, max_length=4)
assert tuple(tokens.shape) == (2, 4)
assert not {{"{foreign}"}} & set(sys.modules)
print(attn_course.__file__)
"""
DATA = """
import sys
from attn_course.experiments import load_record
from attn_course.tasks.dates import load_dates

assert len(load_dates("train").sources) == 24_000 and load_record("dates")["rows"]
import attn_course.catalog, attn_course.exercises, attn_course.plots
from attn_course.exercises import check
assert not check("00.soft_lookup", lambda query, key, value: query)
assert not {"torch", "tensorflow", "keras"} & set(sys.modules)
"""


def last_line(done):
    return done.stderr.strip().splitlines()[-1]


def asserts_install_message(line, extra):
    """One line, the command in it, and no package of an index that is not ours."""
    assert line.startswith("ModuleNotFoundError: this part of attn_course needs")
    assert f"attn-course[{extra}] @ git+https://" in line


def test_without_a_framework(environment, wheel):
    run = environment(wheel)
    done = run("-c", DATA)
    assert done.returncode == 0, done.stderr
    for extra, face in FACES.items():
        done = run("-c", f"import attn_course.{face}")
        assert done.returncode == 1
        asserts_install_message(last_line(done), extra)
    damage = "import attn_course.tasks.dates as d, pathlib; p = pathlib.Path(d.__file__).with_name('dates.tsv.gz');"
    done = run("-c", damage + "p.write_bytes(p.read_bytes()[:-1]); d.load_dates('test')")
    assert done.returncode == 1 and "is missing or damaged: expected sha256" in last_line(done)


@pytest.mark.parametrize("extra", FACES)
def test_with_one_framework_alone(environment, wheel, framework, extra):
    run = environment(wheel, framework[extra])
    modules = {"torch": "torch", "tf": "tensorflow"}
    code = USE.format(face=FACES[extra], module=extra, foreign=modules[OTHER[extra]])
    done = run("-W", "error::DeprecationWarning:attn_course", "-c", code)
    assert done.returncode == 0, done.stderr
    assert "site-packages" in done.stdout and str(ROOT) not in done.stdout
    done = run("-c", f"import attn_course.{FACES[OTHER[extra]]}")
    assert done.returncode == 1
    asserts_install_message(last_line(done), OTHER[extra])
    if extra == "tf":
        done = run("-c", "import attn_course.tf", KERAS_BACKEND="jax")
        assert done.returncode == 1 and "KERAS_BACKEND is 'jax'" in last_line(done)


def test_chapter_2_from_an_empty_folder(environment, wheel, framework, tmp_path):
    """Its first cell installs the wheel; the assertions in its cells do the rest."""
    run = environment(*framework.values(), "nbclient", "ipykernel")
    assert run("-c", "import attn_course").returncode == 1
    shutil.copy(ROOT / "book" / "02_bahdanau.ipynb", tmp_path / "chapter.ipynb")
    code = f"""
import nbclient, nbformat
notebook = nbformat.read({str(tmp_path / "chapter.ipynb")!r}, 4)
nbclient.NotebookClient(notebook, timeout=600, kernel_name="python3").execute()
nbformat.write(notebook, {str(tmp_path / "done.ipynb")!r})
"""
    done = run("-c", code, ATTN_COURSE_SPEC=str(wheel), ATTN_COURSE_QUIET="1")
    assert done.returncode == 0, done.stderr[-3000:]
    cells = [cell for cell in nbformat.read(tmp_path / "done.ipynb", 4).cells if cell.cell_type == "code"]
    assert all(cell.execution_count for cell in cells)
    done = run("-c", "import attn_course; print(attn_course.__file__)")
    assert "site-packages" in done.stdout and str(ROOT) not in done.stdout
