"""Every mechanism beside dense attention, beside its twin, and beside itself.

A slope is measured as a ratio too: time at 4 n positions through time at n, which is
4 ** slope; a goal of 4 ** 1.2 = 5.28 is a slope of at most 1.2.
"""

from functools import partial

from experiments.bench import Row, side
from experiments.bench.cases import WIDTH, Program, cases, delta_rule, given, on_heads

HEADS, WINDOW, RANK = 8, 257, 256
# What fades of a state, and whether a write corrects: DeltaNet, Gated DeltaNet, KDA,
# Mamba-2.
RULES = {
    "delta_rule_attention": (None, True),
    "delta_rule_attention, decay": ("state", True),
    "delta_rule_attention, decay a column": ("column", True),
    "linear_attention, decay": ("state", False),
}
CASES = cases(HEADS, WINDOW, RANK) | {
    "linear_attention, causal": Program(
        on_heads("linear_attention", HEADS, causal=True), 8192, causal=True
    ),
    "strided_attention, split heads": Program(
        on_heads("strided_attention", HEADS, stride=64, heads="split"),
        *(8192, (), True),
    ),
    "flash_attention, causal": Program(
        on_heads("flash_attention", HEADS, causal=True), 8192, causal=True
    ),
    **{
        name: Program(delta_rule(HEADS, *rule), 8192, causal=True)
        for name, rule in RULES.items()
    },
}
DENSE = "F.scaled_dot_product_attention"
# Positions, and the goal beside dense attention, where there is one.
BESIDE_DENSE = {
    "linear_attention, causal": (8192, 1 / 6),
    "linear_attention": (8192, 1 / 15),
    "performer_attention": (4096, 1 / 2.5),
    "linformer_attention": (4096, 1 / 5),
    "sliding_window_attention": (8192, 1 / 5),
    "strided_attention, split heads": (4096, 1 / 4),
    "strided_attention": (4096, 1 / 2),
    "fixed_attention": (4096, 1 / 2),
    "big_bird_attention": (4096, 1 / 2),
    "lsh_attention": (8192, None),
    "flash_attention": (4096, 1.4),
}
SLOPES = {
    "linear_attention, causal": 1.2,
    "linear_attention": 1.3,
    "performer_attention": 1.15,
    "linformer_attention": 1.1,
    "lsh_attention": 1.25,
    "sliding_window_attention": 1.1,
    **dict.fromkeys(RULES, 1.2),
}
EXACT = ("scaled_dot_product_attention", "flash_attention", "flash_attention, causal")


def program(framework, name, n):
    """A function of no arguments that runs a case."""
    return side(framework).program(CASES[name].make, n)


in_torch = partial(program, "PyTorch")


def fused(n, causal=False):
    """PyTorch's own dense attention of as many heads."""
    from experiments.bench.pytorch import fused

    return fused(n, HEADS, causal)


def beside_dense(name, n):
    return in_torch(name, n), fused(n, CASES[name].causal)


def beside_torch(name, n):
    return program("TensorFlow", name, n), in_torch(name, n)


def growth(framework, name, n):
    return program(framework, name, n), program(framework, name, n // 4)


def beside_textbook(n):
    """Flash attention and the three lines that form all weights."""
    from attn_course.core.frameworks import torch
    from experiments.bench.pytorch import program as run

    def textbook(query, key, value):
        return torch.softmax(query @ key.mT * WIDTH**-0.5, dim=-1) @ value

    return in_torch("flash_attention", n), run(given(textbook, HEADS), n)


def beside_sum(n):
    """Causal linear attention in chunks, and as the sum of all outer products."""
    from attn_course.core.frameworks import torch
    from experiments.bench.pytorch import program as run

    heads = 2  # the sums take 64 x 64 numbers a position and head

    def sums(query, key, value):
        asked, held = (torch.nn.functional.elu(x) + 1 for x in (query, key))
        outer = torch.einsum("bhtf,bhtv->bhtfv", held, value)
        sums = torch.einsum("bhtf,bhtfv->bhtv", asked, outer.cumsum(dim=2))
        total = (asked * held.cumsum(dim=2)).sum(dim=-1, keepdim=True)
        return sums / (total + 1e-6)

    ours = on_heads("linear_attention", heads, causal=True)
    return run(ours, n), run(given(sums, heads), n)


def beside_loop(name, n):
    """A state in chunks, and one position after the other."""
    from attn_course.core.frameworks import torch
    from experiments.bench.pytorch import program as run

    def loop(query, key, value, beta, decay, corrects):
        beta, found = beta[..., None], []
        state = key.new_zeros(*key.shape[:-2], WIDTH, WIDTH)
        if decay is not None and decay.ndim < key.ndim:
            decay = decay[..., None]
        for t in range(n):
            q, k, v, b = (x[..., t : t + 1, :] for x in (query, key, value, beta))
            if decay is not None:
                state = decay[..., t, :, None] * state
            state = state + k.mT @ (b * (v - k @ state if corrects else v))
            found.append(q @ state)
        return torch.cat(found, dim=-2), None

    return in_torch(name, n), run(delta_rule(HEADS, *RULES[name], loop), n)


def _dense_row(name, case):
    n, goal = BESIDE_DENSE.get(name, (min(case.longest, 4096), None))
    peer = f"causal {DENSE}" if case.causal else DENSE
    return Row(
        f"{name.replace('_', ' ')}, PyTorch, {{n}} positions",
        *(peer, partial(beside_dense, name)),
        goal=goal,
        positions=n,
        same=name in EXACT,
        mechanism=name.partition(",")[0],
    )


def _twin_row(name, case):
    n, _ = BESIDE_DENSE.get(name, (min(case.longest, 4096), None))
    named, peer = name.replace("_", " "), "the same in PyTorch"
    return Row(
        *(f"{named}, TensorFlow, {{n}} positions", peer, partial(beside_torch, name)),
        positions=min(n, 4096),
        same=name.partition(",")[0] in TWINS,
        mechanism=name.partition(",")[0],
    )


# Functions without parameters or random parts of their own give the same numbers.
TWINS = (
    *("scaled_dot_product_attention", "linear_attention", "delta_rule_attention"),
    *("linformer_attention", "sliding_window_attention", "dilated_window_attention"),
    *("longformer_attention", "strided_attention", "fixed_attention"),
    *("block_sparse_attention", "big_bird_attention", "flash_attention"),
)
LONGER = "{n} positions, through a quarter"
ROWS = [
    *(_dense_row(name, case) for name, case in CASES.items()),
    *(_twin_row(name, case) for name, case in CASES.items()),
    *(
        Row(
            f"{name.replace('_', ' ')}, {framework}, {LONGER}",
            "itself, a quarter as long",
            partial(growth, framework, name),
            4**slope,
            16384,
            same=False,
        )
        for name, slope in SLOPES.items()
        for framework in ("PyTorch", "TensorFlow")
    ),
    *(
        Row(
            f"{name.replace('_', ' ')}, PyTorch, {{n}} positions, beside the loop",
            "a loop over the positions",
            *(partial(beside_loop, name), 1 / 3, 4096),
        )
        for name in RULES
    ),
    Row(
        "linear attention, causal, PyTorch, {n} positions, beside the sum",
        "the cumulative sum of outer products",
        beside_sum,
        1 / 40,
        4096,
    ),
    Row(
        "flash attention, PyTorch, {n} positions, beside all weights",
        "the textbook's three lines",
        beside_textbook,
        1 / 2.2,
        4096,
    ),
]
