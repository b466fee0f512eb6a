"""The GPU demos: plans for simulated devices, and each demo once on the CPU in a tiny size."""

import json
import re
import subprocess
from contextlib import nullcontext
from importlib import resources
from pathlib import Path
from types import SimpleNamespace

import both_frameworks  # noqa: F401
import numpy as np
import pytest

from attn_course.course.labs import dates as dates_lab, gpu
from attn_course.course.labs.decode import cached
from attn_course.course.labs.gpu import (
    __main__ as command,
    demo as demo_module,
    plan_of,
    pytorch as torch_demos,
    tf as tf_demos,
    timing,
    training,
)
from attn_course.course.labs.gpu.demo import Demo
from attn_course.course.labs.translate import Setting, pytorch as translators
from attn_course.frameworks import tf, torch
from attn_course.notebook import Device, device as device_of

T4 = Device("cuda", "T4", 14.7, (7, 5))
A100 = Device("cuda", "A100", 39.4, (8, 0))
H200 = Device("cuda", "H200", 139.8, (9, 0))
CPU = Device("cpu", "CPU")
UNKNOWN = Device("cuda", "GPU", float("nan"), (8, 9))
DEMOS = {"pytorch": torch_demos, "tf": tf_demos}
ROOT = Path(__file__).parents[2]
STEMS = (
    "02_bahdanau",
    "04_scaled_dot_product",
    "06_multi_head",
    "08_encoder",
    "09_transformer",
    "09_project_language_model",
    "10_sparse",
)
STEMS += ("11_linearized", "13_mqa_gqa", "14_flash")


def test_a_t4_has_no_bfloat16_and_no_flash_kernel():
    plan = plan_of("14", "pytorch", T4)
    assert plan.dtype == "float16" and plan.ways.keys() == {"weights", "tiles", "efficient"}
    assert plan.left_out["flash"] == "needs compute capability 8.0, here it is 7.5"
    assert plan.left_out.keys() == {"flash", "cudnn", "kernel"}
    assert plan.ways["weights"][-1] == 2048 and plan.ways["efficient"][-1] == 65536


@pytest.mark.parametrize(("device", "longest"), [(A100, 8192), (H200, 16384)])
def test_newer_devices_take_every_way(device, longest):
    plan = plan_of("14", "pytorch", device)
    assert plan.dtype == "bfloat16" and not plan.left_out
    assert plan.ways.keys() == {"weights", "tiles", "flash", "efficient", "cudnn", "kernel"}
    assert plan.ways["weights"][-1] == longest
    assert all(plan.ways[way] == gpu.LENGTHS for way in ("flash", "kernel", "efficient", "cudnn"))
    assert plan.ways["tiles"][-1] == 16384


@pytest.mark.parametrize("framework", gpu.FRAMEWORKS)
def test_without_a_gpu_the_sizes_are_small(framework):
    plan = plan_of("14", framework, CPU)
    assert plan.dtype == "float32" and not plan.left_out
    assert set(plan.ways.values()) == {gpu.ON_CPU} and max(gpu.ON_CPU) <= 512
    assert plan.ways.keys() == {"weights", "tiles"} | ({"flash"} if framework == "pytorch" else set())


def test_where_the_memory_is_not_told_it_is_taken_as_small():
    plan, small = plan_of("14", "tf", UNKNOWN), plan_of("14", "tf", T4)
    assert plan.ways == small.ways and plan.dtype == "bfloat16"


@pytest.mark.parametrize("device", [T4, A100, H200])
@pytest.mark.parametrize("framework", gpu.FRAMEWORKS)
def test_no_run_takes_more_than_its_share(device, framework):
    plan = plan_of("14", framework, device)
    for length in plan.ways["weights"]:
        scores = 4 * gpu.batch_of(length, device) * gpu.HEADS * length**2 * 4
        assert scores <= gpu.SHARE * device.memory_gib * 2**30
    assert len(plan.ways["weights"]) >= 3


@pytest.mark.parametrize("chapter", ["14", "06"])
def test_a_gpu_gets_enough_tokens_and_a_cpu_one_sequence(chapter):
    for row, shape in timing.shapes(plan_of(chapter, "pytorch", H200), H200):
        batch, heads, length, width = shape
        assert row["batch"] == batch and batch * length >= gpu.TOKENS
        assert heads * width == (1024 if chapter == "06" else 8 * row["width"])
    found = [shape for _, shape in timing.shapes(plan_of(chapter, "pytorch", CPU), CPU)]
    assert {shape[0] for shape in found} == {1} and max(shape[2] for shape in found) <= 512


def test_a_stack_grows_by_its_layers_alone():
    for device, most in ((CPU, 4), (T4, 16), (H200, 32)):
        plan = plan_of("08", "tf", device)
        assert plan.ways["encoder"][-1] == most and plan.dtype == "float32"
        assert plan.sizes["width"] % 32 == 0


def test_unknown_names_are_told():
    with pytest.raises(ValueError, match="chapter must be one of 14, 13, 10, 11, 06, 08, 02, 09, got 3"):
        plan_of("3", "pytorch", CPU)
    with pytest.raises(ValueError, match="framework must be one of pytorch, tf, got jax"):
        plan_of("14", "jax", CPU)


@pytest.mark.parametrize(("chapter", "own"), [("10", {"window", "strided"}), ("11", {"linear"})])
def test_long_sequences_stand_beside_what_the_device_has(chapter, own):
    both = own | {"weights"}
    assert plan_of(chapter, "pytorch", H200).ways.keys() == both | {"flash", "efficient"}
    small = plan_of(chapter, "pytorch", T4)
    assert small.ways.keys() == both | {"efficient"} and small.left_out.keys() == {"flash"}
    assert small.dtype == "float16"
    assert plan_of(chapter, "tf", H200).ways.keys() == plan_of(chapter, "tf", CPU).ways.keys() == both
    for way in own:
        assert plan_of(chapter, "pytorch", H200).ways[way][-1] == 65536
        assert small.ways[way][-1] > small.ways["weights"][-1]


def test_the_kernel_is_timed_at_two_widths():
    """On a GPU, in chapter 14; a record from before names no width: it was 64."""
    for device, widths in ((CPU, [64]), (T4, [64, 128]), (H200, [64, 128])):
        for framework in gpu.FRAMEWORKS:
            found = timing.shapes(plan_of("14", framework, device), device)
            assert sorted({(row["width"], shape[3]) for row, shape in found}) == [(x, x) for x in widths]
    assert plan_of("10", "pytorch", H200).sizes["widths"] == (64,)


@pytest.mark.parametrize("chapter", gpu.CHAPTERS)
@pytest.mark.parametrize("framework", gpu.FRAMEWORKS)
def test_without_a_gpu_the_work_is_small(chapter, framework):
    """At most 5 s on a CPU, most of them the framework's: a bound that the load of a machine doesn't move."""
    plan, name = plan_of(chapter, framework, CPU), gpu.DEMOS[chapter]
    if name in gpu.TRAININGS:
        assert plan.sizes["steps"] * plan.sizes["batch_size"] <= 16 and plan.sizes["rows"] <= 40
        assert plan.sizes.get("longest_test", 0) <= 16  # read one by one, in eager mode
    elif name in ("attention", "heads"):
        numbers = [np.prod(shape) * shape[2] for _, shape in timing.shapes(plan, CPU)]
        assert 4 * max(numbers) < 1e9 and len(numbers) <= 12
    else:
        assert max(max(numbers) for numbers in plan.ways.values()) <= 256 and plan.sizes["batch"] <= 2
    dates = training.shortest(dates_lab.task().train, 20)
    assert len(dates) == 20 and max(map(len, dates.sources)) <= 9


@pytest.mark.parametrize("framework", gpu.FRAMEWORKS)
def test_a_cache_is_as_long_as_the_device_allows(framework):
    longest = {}
    for name, device in {"T4": T4, "A100": A100, "H200": H200, "CPU": CPU}.items():
        plan = plan_of("13", framework, device)
        assert plan.ways.keys() == set(gpu.KINDS) and not plan.left_out
        (longest[name],) = {contexts[-1] for contexts in plan.ways.values()}
        if device.kind == "cuda":
            held = 2 * cached("MHA", longest[name], size=2) * plan.sizes["batch"]  # the numbers, and the cache
            assert held <= gpu.SHARE * device.memory_gib * 2**30
    assert longest == {"T4": 16384, "A100": 65536, "H200": 65536, "CPU": 256}


@pytest.mark.parametrize("framework", gpu.FRAMEWORKS)
@pytest.mark.parametrize(("chapter", "demo"), [("02", "dates"), ("09", "translate")])
def test_a_training_grows_with_the_device(chapter, demo, framework):
    found = [plan_of(chapter, framework, device) for device in (CPU, T4, A100, H200)]
    assert {plan.dtype for plan in found} == {"float32"}
    sizes = [plan.sizes for plan in found]
    assert sizes[0]["steps"] == 2 and sizes[0]["rows"] <= 40 and sizes[2] == sizes[3]
    size = "hidden_dim" if demo == "dates" else "model_dim"
    assert sizes[0][size] < sizes[1][size] < sizes[2][size]
    assert all(plan.ways.keys() == set(gpu.TRAININGS[demo]) for plan in found)


@pytest.mark.parametrize("chapter", gpu.CHAPTERS)
@pytest.mark.parametrize("framework", gpu.FRAMEWORKS)
def test_every_demo_runs_on_a_cpu(chapter, framework, monkeypatch, capsys):
    """The code that a GPU runs, in sizes of a test."""
    monkeypatch.setenv("ATTN_COURSE_QUIET", "1")
    monkeypatch.setattr(DEMOS[framework], "ROUNDS", 1)
    monkeypatch.setattr(gpu, "ON_CPU", (64,))
    for module in (command, DEMOS[framework], demo_module):
        monkeypatch.setattr(module, "device", lambda framework=None: CPU)
    part = command.one(chapter, framework)
    shown = Demo(chapter, framework)
    rows = part["rows"]
    assert shown.holds(rows) and len(shown.table(rows).rows) == len(rows) and "<svg" in shown.picture(rows).svg
    assert {row["way"] for row in rows} == plan_of(chapter, framework, CPU).ways.keys()
    assert {(row["framework"], row["dtype"], row["demo"]) for row in rows} == {(framework, "float32", shown.name)}
    for row in rows:
        CHECKS[shown.name](row)
    record = json.loads(json.dumps(command.record_of(chapter, [part])))
    assert record["command"] == f"python -m attn_course.course.labs.gpu --only {chapter}"
    assert record["versions"]["torch"] and record["device"] == "CPU: no GPU was found"
    assert len(record["rows"]) == len(part["rows"])


def measured(row):
    assert row["forward_range"][0] <= row["forward_ms"] <= row["forward_range"][1] and row["gradients_ms"] > 0
    assert row["forward_mib"] is None and row.get("positions", 64) == row.get("width", 64) == 64


def decoded(row):
    assert row["bytes"] == cached(row["way"], row["context"], size=4) and row["tokens_per_second"] > 0


def translated(row):
    assert [step for step, _ in row["dev"]] == [1, 2] and row["seconds"] >= 0 and "bleu" not in row


def dated(row):
    assert 0 <= row["exact"] <= 1 and row["steps"] == 2 and row["attention"] == (row["way"] == "attention")


CHECKS = dict.fromkeys(("attention", "heads", "depth"), measured)
CHECKS |= {"decode": decoded, "translate": translated, "dates": dated}


def test_every_way_to_attend_is_attention():
    """PyTorch's and TensorFlow's; what is not exact sees fewer keys than these few."""
    rng = np.random.default_rng(0)
    heads = rng.normal(size=(3, 1, 2, 16, 8)).astype(np.float32)
    in_torch = [torch.from_numpy(x) for x in heads]
    expected = torch.nn.functional.scaled_dot_product_attention(*in_torch, is_causal=True).numpy()
    for way in ("weights", "tiles", "window", "flash"):
        np.testing.assert_allclose(torch_demos.attend(way)(*in_torch).numpy(), expected, atol=1e-5)
    for way in ("weights", "tiles", "window"):
        np.testing.assert_allclose(tf_demos.attend(way)(*map(tf.constant, heads)).numpy(), expected, atol=1e-5)
    for way in ("strided", "linear"):
        both = torch_demos.attend(way)(*in_torch).numpy(), tf_demos.attend(way)(*map(tf.constant, heads)).numpy()
        np.testing.assert_allclose(*both, atol=1e-5)


@pytest.mark.parametrize(
    ("framework", "error"),
    [
        ("pytorch", torch.OutOfMemoryError("no memory\nmore")),
        ("tf", tf.errors.ResourceExhaustedError(None, None, "no memory")),
    ],
)
def test_a_way_that_fails_is_told_and_the_next_one_runs(framework, error, monkeypatch):
    def measured(way, heads):
        if way == "weights" and heads[0].shape[2] > 32:
            raise error
        return {"forward_ms": 1.0}

    monkeypatch.setattr(DEMOS[framework], "measured", measured)
    plan = gpu.Plan("float32", {"weights": (32, 64, 128), "tiles": (64,)}, {})
    rows = list(DEMOS[framework].attention(plan))
    assert [(row["way"], row["positions"], "error" in row) for row in rows] == [
        ("weights", 32, False),
        ("weights", 64, True),
        ("tiles", 64, False),
    ]
    assert rows[1]["error"] == f"{type(error).__name__}: no memory"


@pytest.mark.parametrize("lab", ["pytorch", "tf"])
def test_a_gpu_translates_what_it_learned(lab, monkeypatch):
    """In a tiny size: as many verses as asked for, a score of them, and a column of the table."""
    monkeypatch.setenv("ATTN_COURSE_QUIET", "1")
    monkeypatch.setattr(demo_module, "device", lambda framework: CPU)
    shown = Demo("09", lab, "bahdanau")
    shown.plan = shown.plan._replace(sizes={**shown.plan.sizes, "test_rows": 3, "longest_test": 16})
    (row,) = shown.run()
    assert row["verses"] == 3 and 0 <= row["bleu"] <= 100
    assert shown.table([row]).header[-1] == "BLEU, 3 verses" and shown.table([row]).rows[0][-1] == f"{row['bleu']:.1f}"


def test_on_a_large_gpu_bahdanaus_model_is_a_quarter_as_large():
    with torch.device("meta"):
        models = [translators.build(Setting(way, **gpu.SIZES["translate"][2])) for way in gpu.TRAININGS["translate"]]
    transformer, bahdanau = (sum(x.numel() for x in model.parameters()) for model in models)
    assert round(transformer / bahdanau) == 4


def test_a_demo_multiplies_as_its_record_did():
    """In TF32, and leaves the setting as it was."""
    before = torch.get_float32_matmul_precision()
    with pytest.raises(ValueError, match="stopped"), torch_demos.ready():
        assert torch.get_float32_matmul_precision() == "high"
        raise ValueError("stopped")
    assert torch.get_float32_matmul_precision() == before != "high"


@pytest.mark.parametrize("chapter", ["02", "06", "08", "13", "14"])
def test_a_smaller_problem_is_not_drawn_beside_the_stored_one(chapter, monkeypatch):
    """Attention by length is the same problem wherever it is measured."""
    for here, as_dots in ((CPU, chapter == "14"), (H200, True)):
        monkeypatch.setattr(demo_module, "device", lambda framework, here=here: here)
        shown = Demo(chapter, "pytorch")
        assert (shown.picture(shown.stored).svg != shown.picture().svg) == as_dots


@pytest.mark.parametrize("framework", gpu.FRAMEWORKS)
def test_with_a_gpu_a_notebook_takes_the_large_size(framework, monkeypatch):
    monkeypatch.setattr(demo_module, "device", lambda framework: H200)
    shown = Demo("14", framework)
    assert shown.plan == plan_of("14", framework, H200)
    begin = "H200, 140 GiB, compute capability 9.0. The large size, bfloat16, width 64 and 128, positions:"
    assert str(shown).startswith(begin)
    row = {"way": "weights", "positions": 16384, "batch": 1, "forward_ms": 34.0, "forward_range": [33.0, 36.0]}
    row |= {"gradients_ms": 81.0, "gradients_range": [80.0, 82.0], "gradients_mib": 33120.0}
    fused = {**row, "way": "flash", "forward_ms": 17.0}
    table = shown.table([row, fused, {**fused, "width": 128}, {"way": "tiles", "error": "no memory"}])
    header = ["Way", "Positions", "Width", "Sequences", "ms", "With gradients", "MiB", "TFLOP/s", "Of peak"]
    header.append("Times faster")
    assert table.header == header and len(table.rows) == 3
    _, row, wide = table.rows
    # 2 products of 16,384 x 16,384 x 64 for 8 heads, half of them, at two operations each: 0.27 TFLOP
    assert table.rows[0][2:] == ["64", "1", "34 (33 to 36)", "81 (80 to 82)", "33,120", "8.08", "—", "1.0"]
    assert [row[2], *row[-3:]] == ["64", "16.2", "2%", "2.0"] and [wide[2], *wide[-3:]] == ["128", "32.3", "3%", "—"]


# Of the stored rows of a chapter these, and what makes them other than the page says.
BROKEN = [
    ("02", {"way": "attention"}, {"exact": 0.5}),
    ("06", {"way": "flash", "heads": 32}, {"forward_ms": 31.0}),
    ("06", {"way": "efficient", "heads": 32}, {"gradients_mib": 40_000.0}),
    ("06", {"way": "weights", "heads": 8}, {"forward_ms": 29.0}),
    ("08", {"layers": 32}, {"forward_ms": 12.0}),
    ("08", {"layers": 32}, {"gradients_mib": 1800.0}),
    ("09", {"way": "transformer"}, {"dev": [[200, 4.7], [400, 4.7]]}),
    ("09", {"way": "bahdanau"}, {"dev": [[200, 3.3], [400, 3.4]]}),
    ("10", {"way": "window", "positions": 65_536}, {"forward_ms": 15.0}),
    ("11", {"way": "linear", "positions": 65_536}, {"forward_ms": 15.0}),
    ("11", {"way": "linear", "positions": 16_384}, {"gradients_mib": 40_000.0}),
    ("13", {"way": "MLA", "context": 65_536}, {"ms": 1.2}),
    ("14", {"way": "kernel", "positions": 16_384}, {"forward_ms": 30.0}),
    ("14", {"way": "tiles", "positions": 16_384}, {"gradients_mib": 40_000.0}),
    ("14", {"way": "cudnn"}, {"error": "RuntimeError: no kernel"}),
    ("14", {"way": "cudnn"}, {"way": "flash"}),
    ("14", {"way": "flash", "positions": 512}, {"forward_ms": 0.0}),
    ("14", {"way": "flash", "positions": 512}, {"positions": 513}),
]


@pytest.mark.parametrize("chapter", gpu.CHAPTERS)
def test_a_stored_run_is_what_its_page_says(chapter, monkeypatch):
    monkeypatch.setattr(demo_module, "device", lambda framework: H200)
    whole, some = Demo(chapter, "pytorch"), Demo("14", "pytorch", "weights", "flash", "efficient")
    for shown in (whole, some):
        assert shown.holds(shown.stored) and shown.holds([{**row, "width": 64} for row in shown.stored])
        assert len(shown.table(shown.stored).rows) == len(shown.stored) > 1
        assert "<svg" in shown.picture(shown.stored).svg
    assert chapter in {broken for broken, *_ in BROKEN}


@pytest.mark.parametrize(("chapter", "row", "change"), BROKEN)
def test_what_the_page_does_not_say_is_told(chapter, row, change, monkeypatch):
    monkeypatch.setattr(demo_module, "device", lambda framework: H200)
    shown = Demo(chapter, "pytorch")
    rows = [{**each, **change} if row.items() <= each.items() else each for each in shown.stored]
    assert rows != shown.stored
    with pytest.raises(AssertionError):
        shown.holds(rows)


def test_wider_heads_keep_the_claim_too(monkeypatch):
    """Each width is compared with itself, and a picture of both has more dots."""
    monkeypatch.setattr(demo_module, "device", lambda framework: H200)
    shown = Demo("14", "pytorch")
    wide = [{**row, "width": 128, "forward_ms": 3 * row["forward_ms"]} for row in shown.stored]
    assert shown.holds(shown.stored + wide) and shown.table(shown.stored + wide).rows[-1][2] == "128"
    assert len(shown.picture(shown.stored + wide).svg) > len(shown.picture(shown.stored).svg)
    wide = [row | {"forward_ms": 90.0} if row["way"] == "kernel" else row for row in wide]
    with pytest.raises(AssertionError, match="kernel 90"):
        shown.holds(shown.stored + wide)


def test_a_way_may_end_for_want_of_memory_alone(monkeypatch):
    ended = {"way": "weights", "heads": 16, "error": "OutOfMemoryError: CUDA out of memory"}
    for device, holds in ((T4, True), (CPU, False)):
        monkeypatch.setattr(demo_module, "device", lambda framework, device=device: device)
        shown = Demo("06", "tf")
        row = {"way": "weights", "heads": shown.plan.ways["weights"][0], "forward_ms": 4.0, "gradients_mib": 9.0}
        assert shown.holds([row])
        with nullcontext() if holds else pytest.raises(AssertionError, match="out of memory"):
            shown.holds([row, ended])


def test_only_some_ways_run_where_a_chapter_asks_for_them(monkeypatch):
    monkeypatch.setattr(demo_module, "device", lambda framework: T4)
    assert Demo("14", "pytorch", "weights", "flash", "efficient").plan.ways.keys() == {"weights", "efficient"}
    assert {row["way"] for row in Demo("14", "pytorch", "weights").stored} == {"weights"}


def test_a_framework_without_its_own_gpu_takes_the_small_size(monkeypatch):
    """PyTorch may see a GPU where TensorFlow sees none."""
    monkeypatch.setattr(torch.cuda, "is_available", lambda: True)
    properties = SimpleNamespace(name="H", total_memory=80 * 2**30, major=9, minor=0)
    monkeypatch.setattr(torch.cuda, "get_device_properties", lambda number: properties)
    assert Demo("14", "pytorch").here == Device("cuda", "H", 80.0, (9, 0)) == device_of()
    assert Demo("14", "tf").here == CPU


def test_the_share_of_the_peak_is_that_of_the_card():
    for name, part in {"Tesla T4": "50%", "NVIDIA L40S": "—", "NVIDIA A100-SXM4-80GB": "10%"}.items():
        assert demo_module.share(32.5e12, Device("cuda", name), 0) == part
    assert demo_module.share(1.0, CPU, 1) == "—"
    assert demo_module.card("NVIDIA H100 80GB HBM3") and demo_module.card("NVIDIA H100 PCIe") is None
    assert demo_module.card("NVIDIA A100-PCIE-40GB") == demo_module.card("NVIDIA A100-SXM4-40GB")
    assert demo_module.card("NVIDIA A100-SXM4-40GB")[1] < demo_module.card("NVIDIA A100-SXM4-80GB")[1]


@pytest.mark.parametrize("stem", STEMS)
def test_every_chapter_with_a_demo_has_it_in_cells_of_both_frameworks(stem):
    """Below its heading: cells that are not compared, and checks of what they found."""
    text = (ROOT / "book" / f"{stem}.md").read_text(encoding="utf-8")
    (section,) = [part for part in re.split(r"(?m)^(?=#{2,3} )", text) if re.match("#+ On your GPU: ", part)]
    for tab in ("torch", "tf"):
        assert f"tags: [tab-{tab}, nbval-ignore-output]" in section
        assert re.search(rf"tags: \[tab-{tab}, check(, trained)?\]", section)
    assert "The code for a GPU" not in text and len(re.findall("Demo\\(", section)) in (0, 2)


def test_a_demo_without_time_is_named(monkeypatch, capsys):
    def late(*given, timeout, **more):
        raise subprocess.TimeoutExpired("demo", timeout)

    monkeypatch.setattr(command.subprocess, "run", late)
    assert command.apart("09", "tf", -3.0) is None
    assert "chapter 09 in tf: no time was left" in capsys.readouterr().out


def test_records_are_stored_where_there_is_a_gpu(monkeypatch, capsys):
    stored, asked = {}, []
    part = {"device": "a GPU", "left_out": {}, "rows": [{"way": "flash"}]}
    on_cpu = {**part, "device": str(CPU), "rows": [{"way": "tiles"}]}

    def apart(chapter, framework, seconds):
        asked.append(seconds)
        return part if framework == "tf" else on_cpu if chapter == "14" else None  # one that failed

    monkeypatch.setattr(command, "device", lambda: T4)
    monkeypatch.setattr(command, "apart", apart)
    monkeypatch.setattr(command, "write", lambda name, record: stored.setdefault(name, record))
    command.main(["--only", "14", "02"])
    assert stored.keys() == {"gpu_14", "gpu_02"} and stored["gpu_02"]["rows"] == [{"way": "flash"}]
    assert len(asked) == 4 and max(asked) <= command.LIMIT < 540


def test_the_driver_is_noted_where_it_is_told(monkeypatch):
    said = subprocess.CompletedProcess([], 0, stdout="580.1, 1980 MHz\n580.1, 1980 MHz\n")
    monkeypatch.setattr(command.subprocess, "run", lambda *given, **more: said)
    assert command.driver() == {"driver": "580.1", "clock": "1980 MHz"}
    monkeypatch.setattr(command.subprocess, "run", lambda *given, **more: (_ for _ in ()).throw(FileNotFoundError))
    assert command.driver() == {}


def test_the_command_without_a_gpu_runs_nothing(monkeypatch, capsys):
    monkeypatch.setattr(command, "device", lambda: CPU)
    monkeypatch.setattr(command, "apart", lambda *given: pytest.fail("it ran"))
    command.main([])
    assert "The demos are for a GPU" in capsys.readouterr().out


def test_stored_records_say_what_made_them():
    folder = resources.files("attn_course.records")
    for path in folder.iterdir():
        if path.name.startswith("gpu_"):
            record = json.loads(path.read_text())
            assert record.keys() >= {"date", "device", "driver", "versions", "command", "rows"} and record["rows"]
            assert record["command"].startswith("python -m attn_course.course.labs.gpu --only ")
