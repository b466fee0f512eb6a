"""The chapters' demos in their large size, on the GPU that is there.

A demo has a plan, which follows from the device alone: lengths, dtype, and the ways to
attend that the device can take. ``python -m attn_course.labs.gpu`` runs all demos, each
framework in a process of its own, so that one's memory is free for the other, and
stores one record per chapter, ``records/gpu_NN.json``.
"""

from typing import NamedTuple

from attn_course.notebook import Device

CHAPTERS = ("14",)
FRAMEWORKS = ("pytorch", "tf")
HEADS, WIDTH = 8, 64
LENGTHS = tuple(2**power for power in range(9, 17))  # 512 to 65,536
ON_CPU = 2048  # the longest without a GPU
BY_HAND = 16384  # the longest that a loop in Python starts kernels for
SHARE = 0.5  # of the memory, for what a run holds at most


class Plan(NamedTuple):
    """What a demo runs: way to attend -> its lengths; and what it leaves out, and why.

    ways: "weights" forms all of them, "tiles" is the loop by hand, "kernel" the Triton
        kernel; "flash", "efficient" and "cudnn" are PyTorch's own backends.
    """

    dtype: str
    ways: dict
    left_out: dict


def plan_of(chapter: str, framework: str, device: Device) -> Plan:
    """The plan of a chapter's demo on a device.

    Raises:
        ValueError: there is no demo of this chapter or framework.
    """
    if chapter not in CHAPTERS:
        raise ValueError(f"chapter must be one of {', '.join(CHAPTERS)}, got {chapter}")
    if framework not in FRAMEWORKS:
        wanted = ", ".join(FRAMEWORKS)
        raise ValueError(f"framework must be one of {wanted}, got {framework}")
    return flash_plan(framework, device)


def flash_plan(framework: str, device: Device) -> Plan:
    """Chapter 14: time and memory of attention by length, for every way to attend."""
    dtype = half_of(device)
    wanted = {"weights": (), "tiles": ()}
    if framework == "pytorch":
        own = {"flash": (8, 0), "efficient": (5, 0), "cudnn": (8, 0), "kernel": (8, 0)}
        wanted |= own if device.kind == "cuda" else {"flash": ()}
    ways, left_out = {}, {}
    for way, least in wanted.items():
        if least and device.capability < least:
            has, needs = (".".join(map(str, x)) for x in (device.capability, least))
            left_out[way] = f"needs compute capability {needs}, here it is {has}"
            continue
        ways[way] = tuple(n for n in LENGTHS if fits(way, n, dtype, device))
    return Plan(dtype, ways, left_out)


def half_of(device: Device) -> str:
    """The dtype of 16 bits that a device computes with; float32 without a GPU."""
    if device.kind != "cuda":
        return "float32"
    return "bfloat16" if device.capability >= (8, 0) else "float16"


def fits(way: str, length: int, dtype: str, device: Device) -> bool:
    """Whether a run forward and backward stays within its share of the memory."""
    if device.kind != "cuda":
        return length <= ON_CPU
    if way == "tiles" and length > BY_HAND:
        return False
    memory = device.memory_gib * 2**30
    if memory != memory:  # TensorFlow does not say: as small as a T4
        memory = 14 * 2**30
    itemsize = 2 if dtype != "float32" else 4
    held = 12 * HEADS * length * WIDTH * max(4, itemsize)
    if way == "weights":  # scores, weights and their gradients, in float32
        held += 4 * HEADS * length * length * 4
    return held <= SHARE * memory
