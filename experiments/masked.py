"""What a mask saves: time and memory of a window, masked and really sparse.

Every row is measured in a process of its own, on one thread: the processor's seconds,
the best of five runs, and the MiB that a run holds at most beside its inputs, output
included (Linux only). No gradients; 8 heads, width 64, float32.

python -m experiments.masked
"""

import json
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from attn_course.core.masks import sliding_window_mask
from attn_course.files import ending_in_one_line
from experiments import store
from experiments.bench.cases import WIDTH
from experiments.bench.measure import held

HEADS, POSITIONS = 8, 4096
FORMS = (
    ("all pairs", None),
    ("masked", 257),
    ("masked", 17),
    ("textbook, masked", 17),
    ("sparse", 257),
    ("sparse", 17),
)


def _draw():
    rng, shape = np.random.default_rng(0), (1, HEADS, POSITIONS, WIDTH)
    return [rng.normal(size=shape).astype(np.float32) for _ in range(3)]


def torch_form(form, window):
    """A function of no arguments that runs one form."""
    from attn_course import pytorch
    from attn_course.core.frameworks import torch

    torch.set_num_threads(1)
    heads = [torch.from_numpy(x) for x in _draw()]
    mask = None
    if "masked" in form:
        made = sliding_window_mask(POSITIONS, POSITIONS, window, causal=False)
        mask = torch.from_numpy(made)

    @torch.no_grad()
    def run():
        if form == "sparse":
            return pytorch.sliding_window_attention(*heads, window)[0]
        weighed = "textbook" in form
        options = {"need_weights": weighed}
        return pytorch.scaled_dot_product_attention(*heads, mask, **options)[0]

    return run


def tf_form(form, window):
    """The same in a graph of TensorFlow."""
    from attn_course import tf as attn_tf
    from attn_course.core.frameworks import keras, tf

    tf.config.threading.set_intra_op_parallelism_threads(1)
    tf.config.threading.set_inter_op_parallelism_threads(1)
    heads = [tf.constant(x) for x in _draw()]
    mask = None
    if "masked" in form:
        made = sliding_window_mask(POSITIONS, POSITIONS, window, causal=False)
        mask = tf.constant(made)[None, None]

    @tf.function
    def graph(*heads):
        if form == "sparse":
            return attn_tf.sliding_window_attention(*heads, window)[0]
        if "textbook" in form:
            return attn_tf.scaled_dot_product_attention(*heads, mask)[0]
        swapped = [tf.transpose(x, (0, 2, 1, 3)) for x in heads]
        return keras.ops.nn.dot_product_attention(*swapped, mask=mask)

    return lambda: graph(*heads).numpy()


def measure(framework, form, window):
    """Seconds and peak MiB of one form, in this process."""
    run = {"pytorch": torch_form, "tensorflow": tf_form}[framework](form, window)
    Path("/proc/self/clear_refs").write_text("5")
    before = held("VmRSS")
    run()
    peak, seconds = held("VmHWM") - before, []
    for _ in range(5):
        start = time.process_time()
        run()
        seconds.append(time.process_time() - start)
    return {"seconds": round(min(seconds), 3), "peak": round(peak)}


def rows():
    """One row per framework and form, each from a process of its own."""
    found = []
    for framework in ("pytorch", "tensorflow"):
        for form, window in FORMS:
            code = "from experiments.masked import measure; import json; "
            code += f"print(json.dumps(measure({framework!r}, {form!r}, {window})))"
            command = [sys.executable, "-c", code]
            done = subprocess.run(command, capture_output=True, text=True, check=True)
            row = {"framework": framework, "form": form, "window": window}
            found.append(row | json.loads(done.stdout.splitlines()[-1]))
            print(found[-1], flush=True)
    return found


if __name__ == "__main__":
    with ending_in_one_line():
        store("masked", [], [0], positions=POSITIONS, measured=rows())
