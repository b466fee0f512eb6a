"""One change to the language model of ``language``: how it knows positions.

A rotation in every layer (as there), sinusoids that are added to the tokens, or
nothing but the causal mask. None of them has a parameter, and for one seed all models
begin from the same numbers and read the same windows in the same order: runs are
compared in pairs. Tested on the books of dev and of test, by place in the window too.

python -m experiments.ablation --seeds 0 1 2
"""

from attn_course.core.parity import get_parameters
from experiments import run_plan
from experiments.language import built, costs, looks, tested, trained

POSITIONS = {"sinusoidal": "sinusoidal", "rotary": "rotary", "none": None}
STEPS = 400
PARTS = ((0, 4), (4, 8), (8, 16), (16, 32), (32, 64), (64, 96), (96, 128))


def by_place(model):
    """Bits per character of test, by where a token stands in its window of 128."""
    cost, wide = costs(model, "test")
    parts = [slice(*part) for part in PARTS]
    shares = [cost[:, part].sum() / wide[:, part].sum() for part in parts]
    return [round(float(share), 4) for share in shares]


def run(framework, positions, seed):
    """One model: a row."""
    model = built(seed, POSITIONS[positions], framework)
    row = {"framework": framework, "positions": positions, "steps": STEPS, "seed": seed}
    row["parameters"] = sum(x.size for x in get_parameters(model).values())
    row["log"] = trained(model, seed, STEPS, every=50)
    for split in ("dev", "test"):
        row[split] = round(tested(model, split), 4)
    row["by_place"] = by_place(model)
    return [row | looks(model)]


if __name__ == "__main__":
    plan, beside = ([(name, each) for each in POSITIONS] for name in ("pytorch", "tf"))
    run_plan("ablation", plan, run, beside, places=lambda: PARTS)
