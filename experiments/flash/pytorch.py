"""One run of attention in PyTorch, for its peak of memory."""

from attn_course import pytorch
from attn_course.core.frameworks import torch
from attn_course.course.labs.flash import draw


def runner(method, positions, backward, seed):
    """A function of no arguments: attention, and the gradients if backward."""
    heads = torch.from_numpy(draw(positions, seed)).unbind(0)
    heads = [x.clone().requires_grad_(backward) for x in heads]
    function = getattr(pytorch, method)

    def run():
        with torch.set_grad_enabled(backward):
            output, _ = function(*heads)
            return torch.autograd.grad(output.sum(), heads) if backward else output

    return run
