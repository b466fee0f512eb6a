"""The steps of ``attn_course.course.labs.decode`` in PyTorch."""

from functools import partial
from types import SimpleNamespace

from attn_course.core.frameworks import torch
from attn_course.course.labs import decode
from attn_course.course.labs.decode import milliseconds
from attn_course.pytorch import KVCache, grouped_query_attention

OWN = SimpleNamespace(
    draw=lambda dtype, *shape: torch.randn(*shape, dtype=dtype),
    cache=lambda dtype, *sizes: KVCache(*sizes, dtype=dtype),
    rewind=lambda cache, length: setattr(cache, "length", length),
    attend=grouped_query_attention,
    einsum=torch.einsum,
    concat=torch.concat,
    compiled=torch.no_grad(),
)
make_step = partial(decode.make_step, OWN)


def thread():
    """What one thread of this machine does: GB read and GFLOP multiplied a second."""
    numbers, square = torch.randn(1 << 26), torch.randn(1024, 1024)
    read = 4 * numbers.numel() / milliseconds(numbers.sum) / 1e6
    multiplied = 2 * 1024**3 / milliseconds(lambda: square @ square) / 1e6
    return {"read_gb": round(read, 1), "gflop": round(multiplied, 1)}
