"""``from_huggingface`` beside transformers itself: modules with random weights, nothing downloaded."""

import runpy
from pathlib import Path

import make_huggingface_goldens as theirs
import numpy as np
import pytest
import transformers
from oracle_modules import ABOUT, call
from support import numbers, tensor

from attn_course import pytorch, tf
from attn_course.frameworks import torch

FACE = pytest.mark.parametrize("face", [pytorch, tf], ids=["pytorch", "tf"])
EXAMPLE = Path(__file__).resolve().parents[2] / "examples" / "replace_attention.py"


@pytest.fixture(scope="module")
def rows():
    """Every row of the goldens anew: their module, what it was given, what it gave."""
    torch.manual_seed(1)
    return {name: (row[0], theirs.golden(*row)[0]) for name, *row in theirs.rows()}


def test_it_is_the_version_of_the_goldens(rows):
    assert transformers.__version__ == ABOUT["transformers"]
    assert rows.keys() == ABOUT["rows"].keys()


@FACE
@pytest.mark.parametrize("row", ABOUT["rows"])
def test_ours_says_what_theirs_says(face, row, rows):
    module, arrays = rows[row]
    layer = face.from_huggingface(module)
    found = numbers(call(face, row, layer, tensor(face, arrays["x"])))
    assert np.abs(found - arrays["output"]).max() / np.abs(arrays["output"]).max() < 1e-5


@pytest.mark.filterwarnings("ignore")  # the library's own
def test_the_example_as_it_stands(capsys):
    """A BERT whose layers see 16 positions; with a window that holds the text, it says what BERT says."""
    told = runpy.run_path(str(EXAMPLE), run_name="__main__")
    assert "torch.Size([2, 300, 96])" in capsys.readouterr().out
    torch.manual_seed(0)
    config = transformers.BertConfig(hidden_size=24, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4)
    model, tokens = transformers.BertModel(config).eval(), torch.randint(1000, (2, 20))
    mask = torch.arange(20) < torch.tensor([[20], [13]])
    with torch.no_grad():
        expected = model(tokens, attention_mask=mask).last_hidden_state
        for window, alike in ((20, True), (3, False)):
            layers = [told["Windowed"](layer, window=window) for layer in model.encoder.layer]
            other = transformers.BertModel(config).eval()
            other.load_state_dict(model.state_dict())
            other.encoder.layer = torch.nn.ModuleList(layers)
            found = other(tokens, attention_mask=mask).last_hidden_state
            assert bool(torch.allclose(found[mask], expected[mask], atol=1e-4)) == alike
