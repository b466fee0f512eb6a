"""Training with and without warm-up, per seed."""

from attn_course.labs.norms import RATES, warm_up
from experiments import chosen_seeds, store
from experiments.norms.pytorch import train

if __name__ == "__main__":
    seeds, rows = chosen_seeds(), []
    for seed in seeds:
        for rate in RATES:
            for norm in ("post", "pre"):
                for warm in (False, True):
                    loss = train(norm, rate, warm_up if warm else None, seed)
                    run = {"norm": norm, "warm_up": warm, "rate": rate, "seed": seed}
                    rows.append({**run, "loss": loss})
                    print(run, loss[-1], flush=True)
    store("norms", rows, seeds)
