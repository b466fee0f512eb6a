"""What the snapshot of the dates and its loader promise."""

import hashlib
from datetime import date

import numpy as np
import pytest

from attn_course.tasks import dates
from attn_course.tasks.text import BEGIN, END, UNKNOWN

SPLITS = {split: dates.load_dates(split) for split in dates.SPLITS}


def test_days_of_the_splits_are_disjoint_and_valid():
    days = {split: set(examples.targets) for split, examples in SPLITS.items()}
    assert not days["train"] & days["dev"]
    assert not days["train"] & days["test"]
    assert not days["dev"] & days["test"]
    for day in set().union(*days.values()):
        assert date.fromisoformat(day).isoformat() == day and 1950 <= int(day[:4]) <= 2049


def test_every_source_is_new_and_has_one_target():
    rows = [row for e in SPLITS.values() for row in zip(e.targets, e.locales, e.formats, strict=True)]
    assert len(set(rows)) == len(rows)
    pairs = [pair for e in SPLITS.values() for pair in zip(e.sources, e.targets, strict=True)]
    assert len(dict(pairs)) == len(set(pairs))
    # Spanish and Portuguese may write one of the days alike that come in every language.
    sources = [source for e in SPLITS.values() for source in e.sources]
    assert len(sources) - len(set(sources)) <= 2
    assert not set(SPLITS["train"].sources) & {*SPLITS["dev"].sources, *SPLITS["test"].sources}
    assert all(source == source.strip() and "\u202f" not in source and "\u00a0" not in source for source in sources)


def test_no_unknown_characters_and_encoding_is_reversible():
    for examples in SPLITS.values():
        batch = examples.encode()
        n, S = len(examples), max(map(len, examples.sources))
        assert batch.source.shape == batch.source_mask.shape == (n, S)
        assert batch.target_in.shape == batch.target_out.shape == (n, 11)
        assert {part.dtype for part in batch} == {np.dtype("int32"), np.dtype("bool")}
        assert not (batch.source == UNKNOWN).any() and not (batch.target_out == UNKNOWN).any()
        assert dates.source_vocabulary().decode(batch.source) == examples.sources
        assert dates.target_vocabulary().decode(batch.target_out) == examples.targets
        assert (batch.target_in[:, 0] == BEGIN).all() and (batch.target_out[:, -1] == END).all()
        np.testing.assert_array_equal(batch.target_in[:, 1:], batch.target_out[:, :-1])


def test_take_keeps_the_order():
    dev = SPLITS["dev"]
    rows = dev.take([7, 2, 7])
    assert rows.sources == [dev.sources[7], dev.sources[2], dev.sources[7]]
    assert (rows.targets[1], rows.locales[1], rows.formats[1]) == (dev.targets[2], dev.locales[2], dev.formats[2])


def flip_a_byte(data):
    return data[:1000] + bytes([data[1000] ^ 1]) + data[1001:]


@pytest.mark.parametrize("damage", [flip_a_byte, lambda data: data[:-1], lambda data: b"", None])
def test_damaged_snapshot_says_what_to_do(tmp_path, monkeypatch, damage):
    path = tmp_path / "dates.tsv.gz"
    if damage:
        path.write_bytes(damage(dates.DATA.read_bytes()))
    monkeypatch.setattr(dates, "DATA", path)
    with pytest.raises(ValueError, match=r'pip install --force-reinstall --no-deps "[^"]+"') as error:
        dates.load_dates("dev")
    found = hashlib.sha256(path.read_bytes()).hexdigest() if damage else "no file"
    assert all(word in str(error.value) for word in (str(path), dates.SHA256, f"found {found}"))


def test_snapshot_can_be_made_again(tmp_path):
    babel = pytest.importorskip("babel")
    from experiments.data import dates as make

    if babel.__version__ != make.BABEL:
        pytest.skip(f"the snapshot is made with Babel {make.BABEL}")
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        assert make.main(tmp_path / name) == dates.SHA256
        for file in sorted((tmp_path / name).iterdir()):
            assert file.read_bytes() == dates.DATA.with_name(file.name).read_bytes(), file.name
    # Not only the drawn rows: no format of these languages writes two days of a year alike.
    target_of = {}
    for day in [day for day in make.all_days() if day.year == 2012]:
        for locale in {locale for group in make.LOCALES.values() for locale in group}:
            for style in ("full", "long", "medium"):
                *_, source, target = make.row("test", locale, style, day)
                assert target_of.setdefault(source, target) == target


def test_another_babel_is_refused(tmp_path, monkeypatch):
    babel = pytest.importorskip("babel")
    from experiments.data import dates as make

    monkeypatch.setattr(babel, "__version__", "2.17.0")
    with pytest.raises(RuntimeError, match=r"Babel 2\.18\.0, found 2\.17\.0"):
        make.main(tmp_path)
    assert not list(tmp_path.iterdir())
