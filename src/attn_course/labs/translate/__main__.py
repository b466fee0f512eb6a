"""Trains one model, or all four and stores the record; see ``attn_course.labs``."""

import argparse
import importlib
from functools import partial
from pathlib import Path

from attn_course.labs import store
from attn_course.labs.translate import MODELS, Setting, load_data, unigram_loss
from attn_course.labs.translate.score import score, translations


def main(words=None):
    """What the command line asks for."""
    parser = argparse.ArgumentParser(prog="python -m attn_course.labs.translate")
    parser.add_argument("action", choices=("train", "compare"))
    parser.add_argument("model", choices=MODELS, nargs="?", default="transformer")
    parser.add_argument("--framework", choices=("pytorch", "tf"), default="pytorch")
    parser.add_argument("--folder", type=Path, default=Path("runs"))
    for name in ("steps", "seed", "rows", "test_rows", "batch_size", "num_layers"):
        default = Setting._field_defaults[name]
        parser.add_argument(f"--{name.replace('_', '-')}", type=int, default=default)
    given = vars(parser.parse_args(words))
    chosen = {name: given[name] for name in Setting._fields if name in given}
    if given["action"] == "train":
        return train(Setting(**chosen), given["framework"], given["folder"])
    compare(Setting(**chosen), given["framework"], given["folder"])


def train(setting, framework, folder):
    """Train one model, or go on with it; returns the model, its log and its module."""
    module = importlib.import_module(f"attn_course.labs.translate.{framework}")
    data = load_data(setting)
    model, log = module.run(setting, data, folder)
    if module.place()[0] == 0:
        step, loss = log["dev"][-1]
        print(f"{setting.model}: step {step}, dev loss {loss}", flush=True)
    return model, log, module


def compare(setting, framework, folder):
    """All four models, one after the other; what has been trained is not again."""
    rows = []
    for name in MODELS:
        own = setting._replace(model=name)
        model, log, module = train(own, framework, folder)
        rows.append({"model": name, "framework": framework, **facts(model, own, log)})
        write = partial(module.translate, model)
        rows[-1] |= score(*translations(write, "test", own))
        if name == "transformer":
            rows[-1]["beam"] = score(*translations(write, "test", own, beam_size=4))
        print(name, rows[-1]["bleu"], rows[-1]["by_length"], flush=True)
    more = {"setting": setting._asdict(), "unigram": unigram_loss(load_data(setting))}
    words = f"compare --steps {setting.steps} --framework {framework}"
    more["command"] = f"python -m attn_course.labs.translate {words}"
    store("translate", rows, [setting.seed], **more)


def facts(model, setting, log):
    """Sizes, curves, and whether the loss on dev had stopped falling."""
    last = [loss for _, loss in log["dev"][-4:]]
    return {
        "parameters": sum(x.size for x in parameters(model).values()),
        "steps": setting.steps,
        "seconds": log["seconds"],
        "train": [round(x, 3) for x in log["train"][9 :: setting.every // 10 or 1]],
        "dev": log["dev"],
        "flat": len(last) == 4 and last[0] - min(last[1:]) < 0.005,
    }


def parameters(model):
    """All parameters of a model, by name."""
    from attn_course.parity import get_parameters

    return get_parameters(model)


if __name__ == "__main__":
    main()
