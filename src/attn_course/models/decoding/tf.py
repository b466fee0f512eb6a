"""Greedy decoding, beam search and sampling in TensorFlow, as ``__init__.py`` says."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial

from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import named_as_ours
from attn_course.core.layer.tf import Tensor
from attn_course.core.masks.tf import Mask
from attn_course.core.precision.tf import wide
from attn_course.models.decoding.shared import (
    Sampler,
    check_beam,
    check_decoding,
    check_finite,
    check_generation,
    check_logits,
    each,
    readable,
)

__all__ = ["beam_search", "generate", "greedy_decode"]
TRACE = 12  # steps that take as long as making a graph of one


@named_as_ours
def greedy_decode(
    model: keras.layers.Layer,
    source: Tensor,
    *,
    source_mask: Mask = None,
    begin: int,
    end: int,
    max_length: int,
    use_cache: bool = True,
) -> Tensor:
    """Write the likeliest token at every step, until all rows have ended.

    Shapes:
        source (B, S), source_mask (B, 1, 1, S), of an ``EncoderDecoder`` (B, S)
        -> tokens (B, max_length).

    Raises:
        ValueError: the model can't decode, a size is wrong, or a logit is NaN.
        RuntimeError: called inside ``tf.function``; a step is a graph by itself.
    """
    check_eager()
    check_decoding(model, begin=begin, end=end, max_length=max_length)
    source_mask = readable(model, source, source_mask)
    memory, _ = model.encode(source, source_mask, need_weights=False)
    cache = model.new_cache(memory, max_length) if use_cache else None
    options = {"need_weights": False, "cache": cache}

    def step(new, ended):
        logits = model.decode(new, memory, source_mask, **options)[0][:, -1]
        best = tf.where(ended, tf.constant(end, new.dtype), tf.argmax(logits, axis=-1))
        return best[:, None], ended | (best == end), tf.reduce_max(logits, axis=-1)

    tokens = new = tf.fill((len(source), 1), tf.constant(begin, tf.int64))
    ended = tf.zeros_like(tokens[:, 0], tf.bool)
    if use_cache:
        step = compiled(step, cache, max_length, new, ended)
    for _ in range(max_length):
        best, ended, highest = step(new, ended)
        check(highest)
        tokens = tf.concat([tokens, best], axis=1)
        new = best if use_cache else tokens
        if tf.reduce_all(ended):
            break
    return filled(tokens[:, 1:], max_length, end)


@named_as_ours
def beam_search(
    model: keras.layers.Layer,
    source: Tensor,
    *,
    source_mask: Mask = None,
    begin: int,
    end: int,
    max_length: int,
    beam_size: int = 4,
    length_penalty: float = 0.6,
) -> tuple[Tensor, Tensor]:
    """Keep the best ``beam_size`` hypotheses at every step, until all have ended.

    Shapes:
        source (B, S), source_mask (B, 1, 1, S), of an ``EncoderDecoder`` (B, S)
        -> tokens (B, beam_size, max_length), scores (B, beam_size), best first.

    Raises:
        ValueError: the model can't decode, a size is wrong, or a logit is NaN.
        RuntimeError: called inside ``tf.function``; a step is a graph by itself.
    """
    check_eager()
    sizes = {"max_length": max_length, "beam_size": beam_size}
    check_decoding(model, begin=begin, end=end, **sizes)
    check_finite("length_penalty", length_penalty)
    B, K = len(source), beam_size
    source_mask = readable(model, source, source_mask)
    memory, _ = model.encode(source, source_mask, need_weights=False)
    K_times = partial(tf.repeat, repeats=K, axis=0)
    memory, source_mask = each(K_times, (memory, source_mask))
    cache = model.new_cache(memory, max_length)
    options = {"need_weights": False, "cache": cache}

    def step(new, ended, chance, length):
        new = tf.reshape(new, (B * K, 1))
        logits = model.decode(new, memory, source_mask, **options)[0][:, -1]
        found = choices(tf.reshape(logits, (B, K, logits.shape[-1])), ended, end)
        chance = chance[..., None] + found
        length = length + tf.cast(~ended, length.dtype)
        score = chance / penalty(length, length_penalty)[..., None]
        index = tf.math.top_k(tf.reshape(score, (B, -1)), K).indices
        row, new = index // found.shape[-1], index % found.shape[-1]
        reorder(cache, row)
        chance = tf.gather(tf.reshape(chance, (B, -1)), index, batch_dims=1)
        state = take(ended, row) | (new == end), chance, take(length, row)
        return (new, *state), row, tf.reduce_max(logits, axis=-1)

    tokens = tf.fill((B, K, 1), begin)
    # The K hypotheses are one at first.
    first = tf.where(tf.range(K) == 0, 0.0, -float("inf"))
    read = memory[0] if isinstance(memory, tuple) else memory
    chance = tf.cast(tf.repeat(first[None], B, axis=0), wide(read.dtype))
    state = tokens[..., 0], tf.zeros((B, K), tf.bool), chance, tf.zeros_like(chance)
    step = compiled(step, cache, max_length, *state)
    for _ in range(max_length):
        state, row, highest = step(*state)
        check(highest)
        tokens = tf.concat([take(tokens, row), state[0][..., None]], axis=-1)
        if tf.reduce_all(state[1]):
            break
    tokens, (_, _, chance, length) = tf.cast(tokens, tf.int64), state
    score = chance / penalty(length, length_penalty)
    return filled(tokens[:, :, 1:], max_length, end), score


@named_as_ours
def generate(
    model: keras.layers.Layer,
    prompt: Tensor,
    *,
    mask: Mask = None,
    max_tokens: int,
    temperature: float = 1.0,
    top_k: int | None = None,
    top_p: float | None = None,
    seed: int | Sequence[int] | None = None,
    end: int | None = None,
    cache: tuple | None = None,
) -> Iterator[Tensor]:
    """Write behind a prompt, and yield every token as soon as it is sampled.

    Shapes:
        prompt (B, T), integers; mask (B, T), True = token, for padding on the left;
        seed: one, or one for each row, which then draws what it draws alone; cache: of
        ``model.new_cache``, behind whose S positions the prompt stands, mask (B, S + T)
        -> yields tokens (B), up to ``max_tokens`` times.

    Raises:
        ValueError: the model can't write, or an argument is wrong; as the tokens come,
            a logit is NaN, or minus infinity for all tokens.
        RuntimeError: called inside ``tf.function``; a step is a graph by itself.
    """
    check_eager()
    choice = {"temperature": temperature, "top_k": top_k, "top_p": top_p}
    how = {"max_tokens": max_tokens, "end": end, "cache": cache}
    check_generation(model, prompt, mask, **how, **choice)
    cache = cache or model.new_cache(len(prompt), prompt.shape[1] + max_tokens - 1)
    sampler = Sampler(len(prompt), *choice.values(), seed)
    return write(model, prompt, mask, sampler, max_tokens, end, cache)


def write(
    model: keras.layers.Layer,
    prompt: Tensor,
    mask: Tensor | None,
    sampler: Sampler,
    max_tokens: int,
    end: int | None,
    cache: tuple,
) -> Iterator[Tensor]:
    """The tokens of ``generate``, whose arguments are checked."""
    new, ended = prompt, tf.zeros_like(prompt[:, 0], dtype="bool")

    def step(new, mask=None):
        options = {} if mask is None else {"mask": mask}
        return model(new, need_weights=False, cache=cache, **options)[0][:, -1]

    for number in range(max_tokens):
        given = [new]
        if mask is not None:
            given.append(mask[:, None, None])
            mask = tf.concat([mask, tf.ones_like(mask[:, :1])], axis=1)
        if number == 1:  # the prompt is read as it is
            step = compiled(step, cache, max_tokens - 1, *given)
        logits = step(*given)
        drawn = sampler(tf.cast(logits, wide(logits.dtype)).numpy())
        tokens = tf.cast(drawn, prompt.dtype)
        if end is not None:
            tokens = tf.where(ended, tf.cast(end, tokens.dtype), tokens)
            ended = ended | (tokens == end)
        yield tokens
        if tf.reduce_all(ended):
            return
        new = tokens[:, None]


def compiled(step: Callable, cache: tuple, steps: int, *given: Tensor) -> Callable:
    """A step of decoding as one graph, which takes a 20th of the time.

    As it is where that doesn't pay, a trace costs as much as a dozen steps, or can't
    be: with a cache that is no variables. Of what is ``given``, the last axis of a mask
    (B, 1, 1, S) grows.
    """
    parts = [part for part in tf.nest.flatten(cache) if part is not None]
    whole = all(isinstance(part, tf.Module) for part in parts)
    if steps <= TRACE or not whole:
        return step
    shapes = [[*x.shape[:3], None] if len(x.shape) == 4 else x.shape for x in given]
    specs = [
        tf.TensorSpec(shape, x.dtype) for shape, x in zip(shapes, given, strict=True)
    ]
    return tf.function(step).get_concrete_function(*specs)


def check_eager() -> None:
    """Raise RuntimeError inside a graph, which can't end where all rows have ended."""
    if not tf.executing_eagerly():
        words = "decoding has to be called outside tf.function"
        raise RuntimeError(f"{words}: each of its steps is a graph by itself")


def check(highest: Tensor) -> None:
    """Raise ValueError where the highest logits give no token."""
    check_logits(tf.cast(highest, "float32").numpy())


def choices(logits: Tensor, ended: Tensor, end: int) -> Tensor:
    """Log-probabilities (B, K, N); what has ended goes on with ``end``, at no cost."""
    check_beam(logits.shape[1], logits.shape[2])
    found = tf.nn.log_softmax(tf.cast(logits, wide(logits.dtype)))
    only = tf.where(tf.range(logits.shape[2]) == end, 0.0, -float("inf"))
    return tf.where(ended[..., None], tf.cast(only, found.dtype), found)


def penalty(length: Tensor, length_penalty: float) -> Tensor:
    """What the log-probability is divided by: ((5 + length) / 6)^length_penalty."""
    return ((5 + length) / 6) ** length_penalty


def take(x: Tensor, row: Tensor) -> Tensor:
    """x[b, row[b, k]] for every b and k: (B, K, ...), (B, K) -> (B, K, ...)."""
    return tf.gather(x, row, batch_dims=1)


def reorder(cache: tuple, row: Tensor) -> None:
    """Every hypothesis gets the cache of the one that it goes on from.

    That of the memory stays: all hypotheses of a sentence read the same.
    """
    B, K = row.shape
    whole = tf.reshape(tf.range(B)[:, None] * K + row, (-1,))
    for own, _ in cache:
        own.take(whole)


def filled(tokens: Tensor, max_length: int, end: int) -> Tensor:
    """The tokens (..., max_length), with ``end`` where nothing was written."""
    more = max_length - tokens.shape[-1]
    edges = [(0, 0)] * (len(tokens.shape) - 1) + [(0, more)]
    return tf.pad(tokens, edges, constant_values=end)
