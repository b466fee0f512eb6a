"""Speculative decoding in PyTorch; see ``__init__.py`` and ``shared.py``."""

from collections.abc import Callable, Iterator

import numpy as np

from attn_course.core.frameworks import torch
from attn_course.core.layer.pytorch import Tensor
from attn_course.core.layer.shared import named_as_ours
from attn_course.core.precision.pytorch import wide
from attn_course.models.speculative.shared import (
    Cached,
    Drafts,
    Pass,
    check_speculation,
    model_draft,
    speculate,
)

__all__ = ["speculative_generate"]


@named_as_ours
def speculative_generate(
    model: torch.nn.Module,
    prompt: Tensor,
    *,
    draft: torch.nn.Module | Callable[[list[int], int], Drafts],
    num_draft: int = 4,
    max_tokens: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int | None = None,
    end: int | None = None,
    cache: tuple | None = None,
) -> Iterator[Pass]:
    """Write behind a prompt, and yield what each pass of the model adds.

    draft: a model with the same tokens, or a function (tokens so far, count) -> at most
    count tokens, and the chances (n, N) they were sampled from or None. cache: the
    model's, in blocks for example, or of fewer bits; it begins anew.

    Shapes:
        prompt (1, T), integers
        -> yields Pass(tokens, drafted, accepted): a list of 1 to num_draft + 1 tokens,
        ``max_tokens`` in all or up to ``end``, and two counts.

    Raises:
        ValueError: the model can't write, a cache can't go back (a window, a state), or
            an argument is wrong; as the tokens come, a logit is NaN, or drafts are not
            as asked for.
    """
    choice = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    limits = {"max_tokens": max_tokens, "end": end}
    check_speculation(model, prompt, draft, num_draft, **limits, **choice)
    sizes, rng = (prompt.shape[1], max_tokens), np.random.default_rng(seed)
    readers = [Reader(model, *sizes, cache)]
    if hasattr(draft, "new_cache"):
        readers.append(Reader(draft, *sizes))
        draft = model_draft(readers[1], rng, **choice)
    how = {"num_draft": num_draft, **limits, **choice}
    return speculate(readers, draft, prompt[0].tolist(), rng, **how)


class Reader(Cached):
    """A model with its cache: reads on, and goes back."""

    @torch.no_grad()
    def read(self, tokens: list[int]) -> np.ndarray:
        """Logits (n, N) behind the n tokens of a text that the cache has not."""
        device = next(self.model.parameters()).device
        new = torch.tensor([tokens[self.cache[0].length :]], device=device)
        logits, _ = self.model(new, need_weights=False, cache=self.cache)
        return logits[0].to(wide(logits.dtype)).cpu().numpy()
