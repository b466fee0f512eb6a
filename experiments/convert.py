"""The language model that ships, from 2 heads of key and value per layer to 1.

Its heads are merged by three methods and trained on for a while, on the first four
fifths of the book; the last fifth is the test. The model itself is trained on too, for
comparison.

python -m experiments.convert --seeds 0 1 2
"""

from attn_course.course.labs.uptrain import METHODS, batches, windows
from attn_course.tasks.glassllm import CONTEXT, load_book, load_tokenizer
from experiments import draw_from, run_plan
from experiments.uptrain import LABS, watched

STEPS, EVERY, BATCH, RATE = 80, 20, 8, 1e-3


def run(framework, heads, method, seed):
    """Merge, measure, train on and measure; the rows of the record."""
    draw_from(seed)
    tokens = load_tokenizer().encode(load_book())
    cut = len(tokens) * 4 // 5
    tested = windows(tokens[cut:], CONTEXT, (len(tokens) - cut - 1) // CONTEXT)
    lab = LABS[framework]
    model = lab.convert(lab.load_glassllm(), heads, "mean" if heads == 2 else method)
    data = batches(tokens[:cut], seed=seed, length=CONTEXT, count=BATCH)
    rows, options = [], {"steps": STEPS, "rate": RATE, "every": EVERY}
    for step, nats, right in watched(framework, model, data, tested, **options):
        row = {"framework": framework, "kv_heads": heads, "method": method}
        row |= {"seed": seed, "step": step, "loss": nats, "exact": right}
        rows.append(row)
    return rows


if __name__ == "__main__":
    heads = [(2, "none"), *((1, method) for method in METHODS)]
    plan, beside = ([(name, *each) for each in heads] for name in LABS)
    run_plan("convert", plan, run, beside)
