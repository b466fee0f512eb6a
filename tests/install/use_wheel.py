"""What a user does, run by the Python of an environment: `use_wheel.py RECORD,... [FACE]`. It fails or is silent."""

import importlib
import importlib.util
import sys
from pathlib import Path

import numpy as np

FRAMEWORKS = {"pytorch": {"torch"}, "tf": {"tensorflow", "keras"}}
ALL = set().union(*FRAMEWORKS.values())
SIZES = {"vocab_size": 11, "embedding_dim": 2, "hidden_dim": 3}


def imported():
    return ALL & set(sys.modules)


def use_package(records):
    """What needs no framework: it works, and imports none."""
    import attn_course

    assert Path(attn_course.__file__).is_relative_to(sys.prefix), attn_course.__file__
    assert not imported(), f"import attn_course imports {imported()}"

    import attn_course.catalog
    import attn_course.course.plots
    from attn_course.course.labs import load_record
    from attn_course.exercises import check
    from attn_course.tasks.dates import load_dates

    assert [len(load_dates(split)) for split in ("train", "dev", "test")] == [24_000, 1_000, 3_000]
    for name in records:
        record = load_record(name)  # one without seeds has no rows
        assert record["rows"] or record["measured"], name
    assert not check("00.weights", lambda score: score)
    assert not imported(), f"what needs no framework imports {imported()}"


def use_face(name):
    """One attention and one whole model of this framework, in float64, against the specification."""
    present = {module for module in ALL if importlib.util.find_spec(module)}
    assert present == FRAMEWORKS[name], f"installed: {present}"
    face = importlib.import_module(f"attn_course.{name}")
    from attn_course import frameworks, reference
    from attn_course.masks import padding_mask
    from attn_course.parity import get_parameters, set_parameters

    convert = frameworks.torch.from_numpy if name == "pytorch" else frameworks.tf.constant
    rng = np.random.default_rng(0)
    query, key, value = rng.normal(size=(2, 3, 5, 7)), rng.normal(size=(2, 3, 4, 7)), rng.normal(size=(2, 3, 4, 6))
    mask = rng.random((5, 4)) < 0.7
    found = face.scaled_dot_product_attention(*map(convert, (query, key, value, mask)))
    agree(found, reference.scaled_dot_product_attention(query, key, value, mask))

    model = build(face, name)
    set_parameters(model, {key: rng.normal(size=x.shape) for key, x in get_parameters(model).items()})
    source, targets = rng.integers(0, 11, (3, 7)), rng.integers(0, 11, (3, 5))
    mask = padding_mask([7, 4, 2], 7)
    found = model(*map(convert, (source, targets, mask)))
    agree(found, specified(get_parameters(model), source, targets, mask))
    assert imported() == FRAMEWORKS[name]


def build(face, name):
    options = {"dtype": "float64"} if name == "tf" else {}
    encoder = face.RecurrentEncoder(**SIZES, **options)
    decoder = face.BahdanauDecoder(**SIZES, memory_dim=6, attention_dim=5, **options)
    model = face.EncoderDecoder(encoder, decoder)
    return model.double() if name == "pytorch" else model


def specified(parameters, source, targets, mask):
    """Logits and weights by `reference`; the first state comes from the right reader's last one."""
    from attn_course import reference

    encoder, decoder = (
        {key.removeprefix(part): x for key, x in parameters.items() if key.startswith(part)}
        for part in ("encoder.", "decoder.")
    )
    memory, last = reference.recurrent_encoder(source, encoder, mask=mask)
    state = np.tanh(last[:, 3:] @ decoder["bridge.weight"] + decoder["bridge.bias"])
    return reference.bahdanau_decoder(targets, memory, state, decoder, mask)


def agree(found, expected):
    """Output and weights are the specification's to 1e-10, and of float64, or that would be luck."""
    for one, other in zip(found, expected, strict=True):
        one = one.detach().numpy() if hasattr(one, "detach") else one.numpy()
        assert one.dtype == np.float64
        np.testing.assert_allclose(one, other, rtol=1e-10, atol=1e-10)


if __name__ == "__main__":
    use_package(sys.argv[1].split(","))
    if len(sys.argv) > 2:
        use_face(sys.argv[2])
