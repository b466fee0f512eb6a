"""The page of costs: it is what `make costs` writes, from a record that the code still agrees with."""

import itertools
import re

import both_frameworks  # noqa: F401
import pytest
from complexity import BESIDE, CONFIGS, MISSING, ON_GPU, PAGE, SHOWN, SIZES, cached, keyed, on_gpu, page, work, worth

from attn_course.catalog import CATALOG
from attn_course.core.kv_cache import cache_bytes
from attn_course.course.labs import load_record
from attn_course.course.labs.caches import MODELS
from experiments import costs
from experiments.bench import pytorch, tf
from experiments.bench.cases import MEASURED
from experiments.bench.measure import slope
from experiments.costs import CASES, DENSE, FRAMEWORKS, crossovers, growth, lengths_of, measured, operations

RECORD = load_record("costs")


def exponent(order):
    """What an order of the catalog says of the length alone; blocks are those of the layout that is measured."""
    terms = order.replace("sqrt(n)", "n^0.5").replace("blocks", "n").split("+")
    return max(sum(float(power or 1) for power in re.findall(r"\bn\b(?:\^([\d.]+))?", term)) for term in terms)


ORDERS = {row.name: row.time for row in (*CATALOG, *BESIDE)}


def test_the_page_is_what_is_written():
    assert PAGE.read_text(encoding="utf-8") == page(), "run `make costs`"


def test_every_mechanism_is_measured_or_marked():
    """A record that is missing is a mark on the page, and no more."""
    names = MEASURED.keys() | {"recurrent", "convolutional", DENSE, f"{DENSE}, causal"}
    assert CASES.keys() == names >= RECORD["operations"].keys()
    for name in RECORD["operations"]:
        for framework in FRAMEWORKS:
            runs = [row for row in RECORD["rows"] if (row["framework"], row["name"]) == (framework, name)]
            assert len(runs) >= 3
            for row in runs:
                assert row["positions"] == list(lengths_of(name))
                assert len(row["milliseconds"]) == len(row["mib"]) == len(row["positions"])
                assert min(row["milliseconds"]) > 0
    assert RECORD["load"] >= 0 and RECORD["seconds"] > 0 and RECORD["processor"]
    marks = page().count(MISSING)
    counts = {name: found for name, found in RECORD["operations"].items() if name != "linear_attention"}
    # In the tables of time, of memory and of crossings.
    assert page({**RECORD, "operations": counts}).count(MISSING) == marks + 3


@pytest.mark.parametrize("name", RECORD["operations"])
def test_operations_are_counted_as_stored(name):
    lengths, counts = RECORD["operations"][name]
    assert lengths == list(CASES[name].counted)
    assert counts == [operations(name, n) for n in lengths], "run `make costs MEASURE=yes`"


@pytest.mark.parametrize("name", CASES)
def test_operations_grow_as_the_catalog_says(name):
    stored = RECORD["operations"].get(name)
    lengths, counts = stored or (CASES[name].counted, [operations(name, n) for n in CASES[name].counted])
    if not any(counts):  # no product of matrices: nothing to count
        assert name in MEASURED and MEASURED[name].timed.on == "form"
        return
    found = slope(lengths, counts)
    if name == "lsh_attention":  # the catalog's order leaves out the product with the rotations
        assert 1.2 < found < 1.5
    else:
        assert found == pytest.approx(exponent(ORDERS.get(name, "O(n^2 d)")), abs=0.07)


def test_some_rows_are_measured_anew(monkeypatch):
    """Those that have all words, in place of the record's; the page says when, and by what."""
    assert costs.asked(["delta", "tf"]) == [("tf", "delta_rule_attention")]
    assert costs.asked([]) == [*itertools.product(FRAMEWORKS, CASES)]
    with pytest.raises(ValueError, match="no row has 'delta keras' in framework and name"):
        costs.asked(["delta", "keras"])
    every = [{"framework": framework, "name": name} for framework, name in costs.asked([])]
    monkeypatch.setattr(costs, "load_record", lambda name: {"rows": every[:-1]})
    assert costs.asked(["lacking"]) == [tuple(every[-1].values())]
    made = {"date": "2030-01-02", "command": "python -m experiments.costs --only delta tf", "load": 7.5}
    runs = rows_of("delta_rule_attention", (1, 2, 4, 8)) * 3
    record = costs.renewed(RECORD, runs, made)
    assert costs.chosen(record["rows"], "tf", "delta_rule_attention") == [row | made for row in runs]
    assert len(record["rows"]) == len(RECORD["rows"]) and record["command"] == RECORD["command"]
    assert f"anew on 2030-01-02, at a load of 7.5: `{made['command']}`." in page(record)


@pytest.mark.parametrize("module", [pytorch, tf], ids=FRAMEWORKS)
def test_a_case_runs_and_is_measured(module):
    rows = measured(lambda n: module.program(CASES["linear_attention"].make, n), (64, 128, 256), 2)
    assert [row["positions"] for row in rows] == [[64, 128, 256]] * 2
    assert all(value >= 0 for row in rows for value in row["milliseconds"] + row["mib"])


def rows_of(name, milliseconds, mib=(1.0, 2.0, 4.0, 8.0)):
    each = {"framework": "tf", "name": name, "positions": [1024, 2048, 4096, 8192]}
    return [{**each, "milliseconds": list(milliseconds), "mib": list(mib)}]


@pytest.mark.parametrize(
    ("milliseconds", "expected"),
    [
        ((0.5, 1, 2, 4), 1024),  # always faster
        ((2, 4, 8, 1e4), float("inf")),  # slower at last
        ((2, 2, 2, 2), 1448.15),  # between the first two, in the middle on log axes
        ((0.5, 8, 8, 32), 2896.31),  # faster once, and then from there on
    ],
)
def test_crossovers(milliseconds, expected):
    rows = rows_of("linear_attention", milliseconds) + rows_of(DENSE, (1, 4, 16, 64))
    (found,) = crossovers(rows, "tf", "linear_attention")
    assert found == pytest.approx(expected, rel=1e-4)


def test_exponents_are_of_the_last_lengths():
    (found,) = growth(rows_of("linear_attention", (9, 1, 4, 16)), "tf", "linear_attention", "milliseconds")
    assert found == pytest.approx(2)
    (flat,) = growth(rows_of("linear_attention", (1,) * 4, mib=(0,) * 4), "tf", "linear_attention", "mib")
    assert flat == 0


@pytest.mark.parametrize("name", costs.DRAWN)
def test_what_is_drawn_was_counted(name):
    assert RECORD["grown"][name] == [operations(name, n) for n in costs.LENGTHS], "run `make costs MEASURE=yes`"


def test_caches_are_those_of_the_chapter():
    shown = [re.sub("<[^>]*>", "", cell) for cell in cached("Llama 3 8B")]
    assert shown == ["Llama 3 8B", "GQA, 8 heads", "128 KiB", "16.0 GiB", "5.1 ms", "4"]
    assert cached("Mistral 7B v0.1")[2:4] == (keyed("nothing", 0), keyed("0.5 GiB", 2**29))
    assert all(f"| {name} |" in page() for name in SHOWN)


def test_times_on_a_gpu_are_those_of_the_records(monkeypatch):
    """Of heads of width 64, also where a record has wider ones too."""
    wider = {"way": "kernel", "positions": 16_384, "width": 128, "forward_ms": 9.0, "gradients_ms": 9.0}
    stored = {f"gpu_{chapter}": load_record(f"gpu_{chapter}") for chapter, _ in ON_GPU.values()}
    stored["gpu_14"]["rows"].append(wider)
    monkeypatch.setattr("complexity.load_record", stored.get)
    shown = {name: [re.sub("<[^>]*>", "", cell) for cell in on_gpu(name)[1:]] for name in ON_GPU}
    assert shown["our Triton kernel"] == ["0.702", "3.38", "10.5", "49.2"]
    assert shown["linear_attention"] == ["0.580", "2.40", "2.18", "5.88"]
    assert shown["all weights"] == ["28.4", "64.9", "—", "—"]
    assert {load_record(f"gpu_{chapter}")["date"] for chapter, _ in ON_GPU.values()} == {"2026-11-27"}


def intensity(config, context):
    done, read = work(config, context)
    return done / read


def test_operations_per_byte():
    """By hand: a group's query heads share each byte; a latent serves all heads, for the score and for the average."""
    assert intensity(CONFIGS["Llama 2 7B"], 10) == 1
    assert intensity(CONFIGS["Llama 2 70B"], 10) == 64 / 8
    assert intensity(CONFIGS["Gemma 3 27B"], 131_072) == 32 / 16
    heads, latent, turned = 128, 512, 64
    per_position = 2 * heads * (latent + turned) + 2 * heads * latent
    assert intensity(CONFIGS["DeepSeek-V3"], 10) == per_position / (2 * (latent + turned))
    near, far = 50 * 2 * 16 * 256 * 1024, 10 * 2 * 4 * 512 * 131_072
    assert intensity(CONFIGS["Gemma 4 31B"], 131_072) == (near * 32 / 16 + far * 32 / 4) / (near + far)
    scored, chosen = 131_072 * 64 * 128, 2048 * heads * (2 * latent + turned)
    read = 131_072 * 128 + 2048 * (latent + turned)
    assert intensity(CONFIGS["DeepSeek-V3.2"], 131_072) == (scored + chosen) / read
    assert work(CONFIGS["DeepSeek-V3.2"], 131_072)[1] == 61 * 2 * read
    chosen, far = 131_072 // 4 * 128 + (512 + 128) * 512, (131_072 // 128 + 128) * 512  # of 4 tokens, of 128
    assert work(CONFIGS["DeepSeek-V4"], 131_072)[1] == 2 * (20 * chosen + 23 * far)


@pytest.mark.parametrize("name", CONFIGS)
def test_a_token_reads_the_cache_without_states_or_what_an_indexer_chooses(name):
    read, held = work(CONFIGS[name], 131_072)[1], cache_bytes(MODELS[name].parts, 131_072)
    if "state" in MODELS[name].kind or "indexer" in MODELS[name].kind:
        assert 0 < read < held
    else:
        assert read == held


def test_orders_are_sorted_by_what_they_come_to():
    n, d, c = (SIZES[letter] for letter in "ndc")
    assert worth("O(n^2 d + n d^2)") == n**2 * d + n * d**2
    assert worth("O(n (w + g) d)") == n * (SIZES["w"] + SIZES["g"]) * d
    assert worth("O(n sqrt(n) d)") == n**1.5 * d
    assert worth("O(n log n + n c d)") == n * 16 + n * c * d and worth("O(1), causal O(n / c)") == 1
    assert worth("2, causal O(n / w)") == 2 and worth("O(n / w), dilated O(log_w n)") == n / SIZES["w"]
    assert worth("2") == 2 and worth("by chance") is None
    for row in (*CATALOG, *BESIDE):
        assert worth(row.time) > 0 and worth(row.memory) > 0 and worth(row.steps) >= 1


def test_letters_have_one_meaning():
    """Those of the orders are those that the page and the notation explain, each once."""
    orders = " ".join(f"{row.time} {row.memory} {row.steps} {row.path}" for row in (*CATALOG, *BESIDE))
    used = {letter for order in re.findall(r"O\(.*?\)+", orders) for letter in re.findall(r"\b[a-z]\b", order)}
    notation = (PAGE.parent / "notation.md").read_text(encoding="utf-8")
    table = notation.partition("## Letters of orders")[2].partition("## Words")[0]
    said = re.search(r"(?s)One layer over.*?have met", page())[0]
    assert sorted(used) == sorted(re.findall(r"(?m)^\| \$(\w)\$", table)) == sorted(re.findall(r"\$(\w)\$", said))
    assert sorted(used) == sorted(SIZES)
