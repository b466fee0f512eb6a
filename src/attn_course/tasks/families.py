"""Which parts the attention of published decoder families has, read from their code.

``families.json`` beside this file has per family of ``transformers`` 5.23.0 the parts
that its attention classes hold, by the names in ``PARTS``; in what file and when each
was read stands at its head.
"""

import json
from importlib import resources

PARTS = {
    "norm": "QK-norm or clip",
    "gate": "output gate",
    "sink": "sink",
    "nope": "NoPE in some layers",
    "mix": "window or chunk : full",
    "latent": "MLA",
    "index": "indexer of keys",
    "compress": "compressed keys",
    "linear": "linear layers",
}


def load_families():
    """{name of a family: its parts}, in the order of the alphabet."""
    path = resources.files("attn_course.tasks").joinpath("families.json")
    return json.loads(path.read_text(encoding="utf-8"))["families"]
