"""A layer as one graph of any size, in either framework: some in `make test`, every one in `make test-compiled`."""

from cases import flat, plain, same, specified
from exports import Whole, calls, exported

from attn_course.frameworks import tf as tensorflow, torch

# One of each way to be called or computed: scores alone, a memory, a layer's heads, a window's blocks, sums in a loop,
# a cache of its own form, a recurrence, a stack.
SOME = (
    *("scaled_dot_product_attention", "additive_attention", "multi_head_attention", "relative_attention"),
    *("sliding_window_attention", "linear_attention", "flash_attention", "latent_attention"),
    *("recurrent_encoder", "bahdanau_decoder", "encoder_layer", "language_model"),
)


def open_shapes(case):
    """The shapes of the arguments, without what may be of any size."""
    return [
        tuple(None if letter in case.free else size for letter, size in zip(letters, x.shape, strict=True))
        for letters, x in zip(case.axes, case.arrays, strict=True)
    ]


def check_one_graph_in_torch(case):
    """Both calls in one graph, then at another batch and other lengths, unless they are fixed.

    What may change is said beforehand, so that one compilation serves both, where one can.
    """
    item = case.traced("pytorch")
    compiled = torch.compile(Whole(item, *calls(case)), backend="eager", fullgraph=True)
    for inputs, mask in ((case.inputs, case.mask), case.longer()):
        values = case.values("pytorch", inputs, mask)
        for x, letters in zip(values, case.axes, strict=True):
            for axis, letter in enumerate(letters):
                if letter in case.free:
                    torch._dynamo.maybe_mark_dynamic(x, axis)
        expected = [specified(case, item, inputs, mask), *(item(*values, **options) for options in calls(case)[1:])]
        same(compiled(*values), [x for x in plain(expected) if x is not None])


def check_one_graph_in_keras(case):
    """The same with XLA, then without it at another batch and other lengths."""
    item, kinds = case.traced("tf"), [str(x.dtype) for x in case.arrays]
    signature = [tensorflow.TensorSpec(shape, kind) for shape, kind in zip(open_shapes(case), kinds, strict=True)]

    def call(*values):
        found = [item(*values, **options) for options in ({}, case.call_options)[: 1 + bool(case.call_options)]]
        return [x for x in flat(found) if x is not None]

    graph = tensorflow.function(call, input_signature=signature)
    # XLA compiles for every shape that comes: the other one is for the graph without it.
    compiled = tensorflow.function(graph, jit_compile=True)
    for run, (inputs, mask) in ((compiled, (case.inputs, case.mask)), (graph, case.longer())):
        expected, values = flat(specified(case, item, inputs, mask)), case.values("tf", inputs, mask)
        if case.call_options:  # too
            expected += flat(item(*values, **case.call_options))
        same(run(*values), [x for x in expected if x is not None])


def check_exported(case):
    """``torch.export`` with dynamic batch and lengths: the program and the values that it was compared at."""
    program, values, expected = exported(case)
    same(program.module()(*values), expected, 1e-5)
    return program, values, expected
