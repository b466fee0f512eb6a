"""Evaluates every row and stores the answers; all libraries must be installed.

pip install -e .[all,phrasebook], then python -m experiments.phrasebook
"""

import datetime
import json
import sys

import numpy as np

from attn_course.files import ending_in_one_line, replacing, write_text
from experiments import ROOT
from experiments.phrasebook import (
    ANSWERS,
    GOLDENS,
    LIBRARIES,
    address,
    evaluate,
    every_row,
    installed,
    kept,
    versions,
)


def main():
    missing = [name for name in LIBRARIES if not installed(name)]
    if missing:
        sys.exit(f"these libraries are not installed: {', '.join(missing)}")

    answers, goldens, wrong = {}, {}, []
    for kind, entry, row in every_row():
        space, key = evaluate(kind, entry, row), address(entry, row)
        holds = space["answered"] if kind == "convention" else space["error"] < 1e-5
        answers[key] = holds if kind == "convention" else float(f"{space['error']:.0e}")
        print(f"{entry['name']} | {row['library']} | {answers[key]}", flush=True)
        if not holds:
            wrong.append(f"{entry['name']}, {row['library']}")
        if kind == "layer" and row["library"] in ("KerasHub", "Hugging Face"):
            goldens |= {f"{key}/{name}": array for name, array in kept(space).items()}
    if wrong:
        sys.exit(f"not as entries.toml says: {'; '.join(wrong)}")
    told = {"date": datetime.date.today().isoformat(), "versions": versions()}
    write_text(ANSWERS, json.dumps({**told, "answers": answers}, indent=1) + "\n")
    with replacing(GOLDENS) as new:
        np.savez_compressed(new, **goldens)
    print(
        f"{len(answers)} rows: {ANSWERS.relative_to(ROOT)}, {GOLDENS.relative_to(ROOT)}"
    )


if __name__ == "__main__":
    with ending_in_one_line():
        main()
