"""The GPU demos: plans for simulated devices, and each demo once on the CPU in a tiny size."""

import json
from importlib import resources

import pytest

from attn_course.labs import gpu
from attn_course.labs.gpu import __main__ as command
from attn_course.labs.gpu import plan_of
from attn_course.labs.gpu import pytorch as torch_demos
from attn_course.labs.gpu import tf as tf_demos
from attn_course.notebook import Device

T4 = Device("cuda", "T4", 14.7, (7, 5))
A100 = Device("cuda", "A100", 39.4, (8, 0))
H200 = Device("cuda", "H200", 139.8, (9, 0))
CPU = Device("cpu", "CPU")
UNKNOWN = Device("cuda", "GPU", float("nan"), (8, 9))
DEMOS = {"pytorch": torch_demos, "tf": tf_demos}


def test_a_t4_has_no_bfloat16_and_no_flash_kernel():
    plan = plan_of("14", "pytorch", T4)
    assert plan.dtype == "float16" and plan.ways.keys() == {"weights", "tiles", "efficient"}
    assert plan.left_out["flash"] == "needs compute capability 8.0, here it is 7.5"
    assert plan.left_out.keys() == {"flash", "cudnn", "kernel"}
    assert plan.ways["weights"][-1] == 4096 and plan.ways["efficient"][-1] == 65536


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
    assert {lengths[-1] for lengths in plan.ways.values()} == {gpu.ON_CPU}
    assert plan.ways.keys() == {"weights", "tiles"} | ({"flash"} if framework == "pytorch" else set())


def test_where_the_memory_is_not_told_it_is_taken_as_small():
    plan, small = plan_of("14", "tf", UNKNOWN), plan_of("14", "tf", T4)
    assert plan.ways == small.ways and plan.dtype == "bfloat16"


@pytest.mark.parametrize("device", [T4, A100, H200])
@pytest.mark.parametrize("framework", gpu.FRAMEWORKS)
def test_no_run_takes_more_than_its_share(device, framework):
    plan = plan_of("14", framework, device)
    for length in plan.ways["weights"]:
        scores = 4 * gpu.HEADS * length**2 * 4
        assert scores <= gpu.SHARE * device.memory_gib * 2**30
    assert len(plan.ways["weights"]) >= 4


def test_unknown_chapters_are_named():
    with pytest.raises(ValueError, match="chapter must be one of 14, got 3"):
        plan_of("3", "pytorch", CPU)
    with pytest.raises(ValueError, match="framework must be one of pytorch, tf, got jax"):
        plan_of("14", "jax", CPU)


@pytest.mark.parametrize("framework", gpu.FRAMEWORKS)
def test_every_way_runs_on_a_cpu(framework, monkeypatch, capsys):
    monkeypatch.setattr(DEMOS[framework], "ROUNDS", 1)
    monkeypatch.setattr(gpu, "LENGTHS", (64,))
    monkeypatch.setattr(command, "device", lambda: CPU)
    part = command.one("14", framework)
    assert {row["way"] for row in part["rows"]} == plan_of("14", framework, CPU).ways.keys()
    for row in part["rows"]:
        assert row["positions"] == 64 and row["forward_ms"] > 0 and row["gradients_ms"] > 0
        assert row["forward_mib"] is None
    record = json.loads(json.dumps(command.record_of("14", [part])))
    assert record["command"] == "python -m attn_course.labs.gpu --only 14"
    assert record["versions"]["torch"] and record["device"] == "CPU: no GPU was found"
    assert len(record["rows"]) == len(part["rows"])


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
            assert record.keys() >= {"date", "device", "versions", "command", "rows"} and record["rows"]
            assert record["command"].startswith("python -m attn_course.labs.gpu --only ")
