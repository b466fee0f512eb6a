"""Serves a few requests with one beginning, prints the texts, and who had each step."""

import argparse
import importlib
import os

from attn_course.course.labs.serve import timeline_text
from attn_course.files import ending_in_one_line
from attn_course.tasks.glassllm import load_tokenizer

ENDS = "the Queen", "a rabbit", "the Hatter said", "Alice", "the Cat", "the King of"


def arguments(given=None):
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m attn_course.course.labs.serve")
    parser.add_argument("--framework", choices=("torch", "tf"), default="torch")
    parser.add_argument(
        "--prompt", default="Alice was beginning to get very tired when"
    )
    parser.add_argument("--requests", type=int, default=6)
    parser.add_argument("--length", type=int, default=20, help="the longest answer")
    parser.add_argument("--blocks", type=int, default=14)
    parser.add_argument("--block-size", type=int, default=8)
    parser.add_argument("--at-once", type=int, default=4, help="requests that run")
    parser.add_argument("--budget", type=int, default=12, help="tokens a step")
    parser.add_argument("--no-prefixes", action="store_true")
    parser.add_argument("--temperature", type=float, default=0.7)
    return parser.parse_args(given)


def main(given=None):
    """Add a request every other step, run to the end, and tell."""
    chosen = arguments(given)
    framework = {"torch": "pytorch", "tf": "tf"}[chosen.framework]
    lab = importlib.import_module(f"attn_course.course.labs.generate.{framework}")
    face = importlib.import_module(f"attn_course.{framework}")
    tokenizer = load_tokenizer()
    sizes = {"blocks": chosen.blocks, "block_size": chosen.block_size}
    limits = {"max_requests": chosen.at_once, "token_budget": chosen.budget}
    options = {"prefix_cache": not chosen.no_prefixes}
    engine, asked = face.Engine(lab.load_glassllm(), **sizes, **limits, **options), []
    for n in range(chosen.requests):
        text = f"{chosen.prompt} {ENDS[n % len(ENDS)]}"
        how = {"max_tokens": max(1, chosen.length - 3 * (n % 4)), "seed": n}
        how["temperature"] = chosen.temperature
        asked.append((text, engine.add(tokenizer.encode(text), **how)))
        engine.step()
        engine.step()
    engine.run()
    for n, (text, request) in enumerate(asked):
        told = ", ".join(f"{request.counts[x]} {x}" for x in ("read", "hit", "waited"))
        print(f"{n}  {text}{tokenizer.decode(request.written)}\n   {told}")
    *lines, used = timeline_text(engine)
    print("\n.  waits   r  reads   h  behind known blocks   w  writes   !  gives way")
    for n, line in enumerate(lines):
        print(f"{n:4} {line}")
    told = ", ".join(f"{engine.counts[x]} {x}" for x in ("steps", "read", "hit"))
    print(f"full {used}  tenths of {chosen.blocks} blocks\n{told}")


if __name__ == "__main__":
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "3")
    with ending_in_one_line("nothing was to be kept"):
        main()
