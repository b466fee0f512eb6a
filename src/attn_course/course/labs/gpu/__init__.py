"""The chapters' demos in their large size, on the GPU that is there.

A demo has a plan, which follows from the device alone: sizes, dtype, and the ways that
the device can take. A notebook runs it by ``gpu.demo.Demo``. ``python -m
attn_course.course.labs.gpu`` runs all demos, each framework in a process of its own, so
that one's memory is free for the other, and stores one record per chapter,
``records/gpu_NN.json``.

``attention``, ``heads``, ``depth``: time and memory of attention by length, by heads,
and of a stack by layers. ``decode``: a step behind a long cache. ``dates``,
``translate``: a training in a larger size, in float32 on a T4 too: no loss is scaled.
"""

from typing import NamedTuple

from attn_course.notebook import Device

# In the order in which they run: time may end before the last.
DEMOS = {
    "14": "attention",
    "13": "decode",
    "10": "attention",
    "11": "attention",
    "06": "heads",
    "08": "depth",
    "02": "dates",
    "09": "translate",
}
CHAPTERS = tuple(DEMOS)
FRAMEWORKS = ("pytorch", "tf")
HEADS, WIDTH, WINDOW = 8, 64, 257
WIDTHS = {"14": (64, 128)}  # of a head on a GPU, where not WIDTH alone
LENGTHS = tuple(2**power for power in range(9, 17))  # 512 to 65,536
TOKENS = 16384  # in all, at least: fewer leave a GPU idle, and time its start
ON_CPU = (256, 512)  # the lengths without a GPU
# Positions, width, numbers of heads (of layers: sequences first), by scale.
SPLIT = ((256, 64, (1, 2, 4, 8)), (4096, 512, (4, 8, 16)), (4096, 1024, (8, 16, 32)))
DEEP = (
    (2, 32, 64, (1, 2, 4)),
    (32, 512, 256, (2, 4, 8, 16)),
    (32, 512, 512, (4, 8, 16, 32)),
)
BY_HAND = 16384  # the longest that a loop in Python starts kernels for
SHARE = 0.5  # of the memory, for what a run holds at most
# Ways to attend, by chapter: those of both frameworks, those of PyTorch on a GPU with
# the capability that each needs, and those of PyTorch without one.
OWN = {"flash": (8, 0), "efficient": (5, 0), "cudnn": (8, 0), "kernel": (8, 0)}
BESIDE = {name: OWN[name] for name in ("flash", "efficient")}
WAYS = {
    "14": (("weights", "tiles"), OWN, ("flash",)),
    "10": (("weights", "window", "strided"), BESIDE, ("flash",)),
    "11": (("weights", "linear"), BESIDE, ("flash",)),
    "06": (("weights",), BESIDE, ("flash",)),
}
KINDS = ("MHA", "GQA-8", "MQA", "MLA")
BATCH = 8  # sequences that are decoded together
TRAININGS = {
    "dates": ("attention", "one vector"),
    "translate": ("transformer", "bahdanau"),
}
# Sizes of the trainings without a GPU, on a small one (a T4), and on a large one.
# Without one: a few short rows, to see that it runs, and none to translate.
SIZES = {
    "dates": (
        {"hidden_dim": 16, "embedding_dim": 8, "batch_size": 8, "steps": 2, "rows": 20},
        {"hidden_dim": 256, "embedding_dim": 128, "batch_size": 256, "steps": 200},
        {"hidden_dim": 512, "embedding_dim": 256, "batch_size": 512, "steps": 300},
    ),
    "translate": (
        {"model_dim": 16, "num_layers": 1, "hidden_dim": 16, "steps": 2}
        | {"batch_size": 8, "rows": 40, "longest": 14, "longest_test": 16}
        | {"test_rows": 0},
        {"model_dim": 256, "num_layers": 4, "hidden_dim": 256, "steps": 1500}
        | {"batch_size": 64},
        {"model_dim": 512, "num_layers": 6, "hidden_dim": 512, "steps": 2000}
        | {"batch_size": 128, "rate": 1e-3},
    ),
}


class Plan(NamedTuple):
    """What a demo runs: way -> its lengths; and what it leaves out, and why.

    ways: of attention: "weights" forms all of them, "tiles" is the loop by hand,
        "kernel" the Triton kernel; "flash", "efficient" and "cudnn" are PyTorch's own
        backends. Of a training: the models. With heads or layers in place of lengths.
    sizes: of a training, a cache, a layer; the widths of a head.
    """

    dtype: str
    ways: dict
    left_out: dict
    sizes: dict = {}  # noqa: RUF012 (nobody changes it)


def plan_of(chapter: str, framework: str, device: Device) -> Plan:
    """The plan of a chapter's demo on a device.

    Raises:
        ValueError: there is no demo of this chapter or framework.
    """
    given = {"chapter": (chapter, CHAPTERS), "framework": (framework, FRAMEWORKS)}
    for name, (value, allowed) in given.items():
        if value not in allowed:
            wanted = ", ".join(allowed)
            raise ValueError(f"{name} must be one of {wanted}, got {value}")
    demo = DEMOS[chapter]
    if demo == "attention":
        return attention_plan(chapter, framework, device)
    if demo == "decode":
        return decode_plan(device)
    if demo in ("heads", "depth"):
        return layer_plan(chapter, framework, device, demo)
    sizes = SIZES[demo][scale_of(device)]
    ways = dict.fromkeys(TRAININGS[demo], (sizes["steps"],))
    return Plan("float32", ways, {}, sizes)


def attention_plan(chapter: str, framework: str, device: Device) -> Plan:
    """Chapters 10, 11, 14: time and memory of attention by length, by every way."""
    dtype = half_of(device)
    wanted, left_out = ways_of(chapter, framework, device)
    on_gpu = device.kind == "cuda"
    lengths, widths = (LENGTHS if on_gpu else ON_CPU), (WIDTH,)
    if on_gpu:
        widths = WIDTHS.get(chapter, widths)
    size = device, max(widths)
    ways = {way: tuple(n for n in lengths if fits(way, n, *size)) for way in wanted}
    return Plan(dtype, ways, left_out, {"widths": widths})


def ways_of(chapter: str, framework: str, device: Device):
    """The ways to attend that the device can take; what it can't: why."""
    both, on_gpu, without = WAYS[chapter]
    wanted = dict.fromkeys(both, ())
    if framework == "pytorch":
        wanted |= on_gpu if device.kind == "cuda" else dict.fromkeys(without, ())
    left_out = {}
    for way, least in wanted.items():
        if least and device.capability < least:
            has, needs = (".".join(map(str, x)) for x in (device.capability, least))
            left_out[way] = f"needs compute capability {needs}, here it is {has}"
    return [way for way in wanted if way not in left_out], left_out


def layer_plan(chapter: str, framework: str, device: Device, demo: str) -> Plan:
    """Chapters 6 and 8: one width and more heads; one width and more layers."""
    scale, dtype = scale_of(device), half_of(device)
    if demo == "heads":
        positions, width, heads = SPLIT[scale]
        ways, left_out = ways_of(chapter, framework, device)
        sizes = {"positions": positions, "width": width}
        return Plan(dtype, dict.fromkeys(ways, heads), left_out, sizes)
    batch, positions, width, layers = DEEP[scale]
    sizes = {"positions": positions, "width": width, "batch": batch}
    return Plan("float32", {"encoder": layers}, {}, sizes)


def decode_plan(device: Device) -> Plan:
    """Chapter 13: a step of decoding behind a cache, for every kind of cache."""
    contexts = ((256,), (1024, 4096, 16384), (1024, 4096, 16384, 65536))
    scale = scale_of(device)
    batch = 1 if scale == 0 else BATCH
    return Plan(
        half_of(device), dict.fromkeys(KINDS, contexts[scale]), {}, {"batch": batch}
    )


def half_of(device: Device) -> str:
    """The dtype of 16 bits that a device computes with; float32 without a GPU."""
    if device.kind != "cuda":
        return "float32"
    return "bfloat16" if device.capability >= (8, 0) else "float16"


def memory_of(device: Device) -> float:
    """Bytes; where TensorFlow does not say, as few as a T4 has."""
    gib = device.memory_gib
    return 2**30 * (gib if gib == gib else 14)


def scale_of(device: Device) -> int:
    """0 without a GPU, 1 on a small one, 2 on a large one."""
    if device.kind != "cuda":
        return 0
    return 2 if device.capability >= (8, 0) else 1


def batch_of(length: int, device: Device) -> int:
    """So many sequences that a GPU has enough to do."""
    return max(1, TOKENS // length) if device.kind == "cuda" else 1


def fits(way: str, length: int, device: Device, width: int) -> bool:
    """Whether a run forward and backward stays within its share of the memory."""
    if device.kind != "cuda":
        return True
    if way == "tiles" and length > BY_HAND:
        return False
    held = 12 * HEADS * length * width * 4
    pairs = {"weights": length, "window": 3 * WINDOW, "strided": 4 * length**0.5}
    # Scores, weights and their gradients, in float32.
    held += 4 * HEADS * length * pairs.get(way, 0) * 4
    return batch_of(length, device) * held <= SHARE * memory_of(device)
