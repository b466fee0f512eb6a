"""Trains one model, or all four and stores the record.

See ``attn_course.course.labs``.
"""

import argparse
import importlib
from functools import partial
from operator import itemgetter
from pathlib import Path

from attn_course.course.labs.translate import (
    MODELS,
    RATES,
    SEEDS,
    Setting,
    load_data,
    unigram_loss,
)
from attn_course.course.labs.translate.score import (
    ahead,
    score,
    signature,
    translations,
)
from attn_course.files import ending_in_one_line
from attn_course.records import heading, in_place, load_record, write


def main(words=None):
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m attn_course.course.labs.translate")
    parser.add_argument("action", choices=("train", "compare"))
    parser.add_argument("model", choices=MODELS, nargs="?", default="transformer")
    parser.add_argument("--framework", choices=("pytorch", "tf"), default="pytorch")
    parser.add_argument("--folder", type=Path, default=Path("runs"))
    for name in ("steps", "seed", "rows", "test_rows", "batch_size", "num_layers"):
        default = Setting._field_defaults[name]
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=default)
    more = "compare: keep the record, and put these rows behind its own"
    parser.add_argument("--beside", action="store_true", help=more)
    parser.add_argument("--seeds", type=int, nargs="+", default=SEEDS)
    parser.add_argument("--models", choices=MODELS, nargs="+", default=MODELS)
    given = vars(parser.parse_args(words))
    chosen = {name: given[name] for name in Setting._fields if name in given}
    setting, *place = Setting(**chosen), given["framework"], given["folder"]
    if given["action"] == "train":
        return train(setting, *place)
    found = compare(setting, *place, given["seeds"], given["models"])
    words = f"compare --steps {setting.steps} --framework {given['framework']}"
    if given["beside"]:
        named = " ".join(given["models"]), " ".join(map(str, given["seeds"]))
        words += " --beside --models {} --seeds {}".format(*named)
    store(words, *found, beside=given["beside"])


def train(setting, framework, folder):
    """Train one model, or go on with it; returns the model, its log and its module."""
    module = importlib.import_module(f"attn_course.course.labs.translate.{framework}")
    data = load_data(setting)
    model, log = module.run(setting, data, folder)
    if module.place()[0] == 0:
        step, loss = log["dev"][-1]
        print(f"{setting.model}: step {step}, dev loss {loss}", flush=True)
    return model, log, module


def compare(setting, framework, folder, seeds=SEEDS, models=MODELS):
    """Models, each at its best rate: rows, and what else the record holds.

    What was trained is kept in the folder.
    """
    rows, wrote, beam = [], {}, None
    for name in models:
        rate, grid = best_rate(setting._replace(model=name), framework, folder)
        runs, wrote[name] = [], []
        for seed in seeds:
            own = setting._replace(model=name, rate=rate, seed=seed)
            model, log, module = train(own, framework, folder)
            writer = partial(module.translate, model)
            examples, texts = translations(writer, "test", own)
            runs.append({"seed": seed, **facts(log, own), **score(examples, texts)})
            wrote[name].append(texts)
            if (name, seed) == ("transformer", seeds[0]):
                beam = beam_bleu(writer, own)
        sizes = sum(x.size for x in parameters(model).values())
        row = {"model": name, "framework": framework, "parameters": sizes}
        rows.append({**row, "rate": rate, "grid": grid, "runs": runs})
        print(name, rate, [run["bleu"] for run in runs], flush=True)
    more = {"setting": setting._asdict(), "unigram": unigram_loss(load_data(setting))}
    more |= {"test": len(examples), "signature": signature(), "beam": beam}
    more["ahead"] = ahead(wrote, examples.targets)
    return rows, more


def store(words, rows, more, beside):
    """Write the record, or put rows behind its own: what made them is "beside" then."""
    made = heading(f"python -m attn_course.course.labs.translate {words}")
    if beside:
        kept = load_record("translate")
        rows = in_place(kept["rows"], rows, itemgetter("model", "framework"))
        write("translate", kept | {"rows": rows, "beside": made})
    else:
        write("translate", {**made, "rows": rows, **more})


def beam_bleu(writer, setting):
    """BLEU on test with a beam of 4."""
    return score(*translations(writer, "test", setting, beam_size=4))["bleu"]


def best_rate(setting, framework, folder):
    """The rate of the lowest loss on dev, after a quarter of the steps; all of them."""
    grid = []
    for rate in RATES:
        own = setting._replace(rate=rate, steps=setting.steps // 4)
        _, log, _ = train(own, framework, folder)
        grid.append((rate, min(loss for _, loss in log["dev"])))
    return min(grid, key=lambda found: found[1])[0], grid


def facts(log, setting):
    """Curves, the step whose parameters were kept, and whether the loss was flat."""
    last = [loss for _, loss in log["dev"][-4:]]
    lowest, step = min((loss, step) for step, loss in log["dev"])
    return {
        "seconds": log["seconds"],
        "train": [round(x, 3) for x in log["train"][9 :: setting.every // 10 or 1]],
        "dev": log["dev"],
        "lowest": lowest,
        "best_step": step,
        "flat": len(last) == 4 and last[0] - min(last[1:]) < 0.005,
    }


def parameters(model):
    """All parameters of a model, by name."""
    from attn_course.core.parity import get_parameters

    return get_parameters(model)


if __name__ == "__main__":
    with ending_in_one_line("the last checkpoint is kept; the same command goes on"):
        main()
