"""A layer or function that leaves PyTorch: `torch.export`, and ONNX."""

import warnings

from cases import flat
from support import numbers

from attn_course.frameworks import torch


class Whole(torch.nn.Module):
    """A function, or a layer without the outputs that are None; one call after the other, with these options."""

    def __init__(self, item, *calls):
        super().__init__()
        self.item, self.calls = item, calls

    def forward(self, *values):
        found = [self.item(*values, **options) for options in self.calls]
        return tuple(x for x in flat(found) if x is not None)


def calls(case):
    """Plainly, and with the options of the call the other way."""
    return [{}, case.call_options] if case.call_options else [{}]


def exported(case):
    """The program, with dynamic batch and lengths but for those that are fixed; values of other sizes, what they give.

    Plainly and with the options of the call the other way.
    """
    item = Whole(case.traced("pytorch", "float32"), *calls(case)).eval()
    values = case.values("pytorch", case.inputs, case.mask, "float32")
    free = [
        {axis: torch.export.Dim.DYNAMIC for axis, letter in enumerate(letters) if letter in case.free}
        for letters in case.axes
    ]
    program = torch.export.export(item, tuple(values), dynamic_shapes=(tuple(free),))
    inputs, mask = case.longer()
    longer = case.values("pytorch", inputs, mask, "float32")
    return program, longer, [numbers(x) for x in item(*longer)]


def in_onnx(program, values):
    """What a program gives in ONNX's own runtime.

    What the exporter makes shorter afterwards is its own affair, and a third of the time.
    """
    import onnxruntime

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what the libraries say to each other
        model = torch.onnx.export(program, verbose=False, optimize=False).model_proto.SerializeToString()
    session = onnxruntime.InferenceSession(model)
    fed = {entry.name: x.numpy() for entry, x in zip(session.get_inputs(), values, strict=True)}
    return session.run(None, fed)
