"""The pass of an engine in TensorFlow; ``shared.py`` says who is served when."""

from typing import Any

import numpy as np

from attn_course.core.frameworks import keras, tf
from attn_course.core.kv_cache.tf import scatter, zeros
from attn_course.core.layer.tf import AttentionLayer
from attn_course.core.precision.tf import wide
from attn_course.models.language_model.shared import scale_of
from attn_course.models.serving.blocks import Batch
from attn_course.models.serving.checks import check_model
from attn_course.models.serving.shared import Scheduler

__all__ = ["Engine"]


class Engine(Scheduler):
    """Serve many requests with one model, one step for all at a time, as one graph.

    blocks, block_size: the memory, N blocks of P positions of every layer, taken once.
    max_requests: how many write at once; token_budget: how many tokens a step may read,
        or None: whole prompts; prefix_cache: whether blocks are found again by name.

    The model is never changed, so several engines may share it.

    Raises:
        ValueError: a size is wrong, or the model can't be served.
    """

    def take_memory(self, model: keras.layers.Layer, positions: int) -> tuple:
        """The keys and values of every layer; a pass becomes a graph."""
        check_model(model, AttentionLayer)
        row, pair = (tf.TensorSpec([None] * axes, "int64") for axes in (1, 2))
        group = [pair, pair, tf.TensorSpec((None, 1, None, None), "bool")]
        specs = [row, row, row, row, [group, group]]
        self.logits = tf.function(self.logits, input_signature=specs)
        return tuple(LayerMemory(x.attention, positions) for x in model.stack.layers)

    def read(self, batch: Batch) -> np.ndarray:
        """The logits (R, N) after the last token of every request."""
        *flat, groups = batch
        tensors = [tf.constant(x, "int64") for x in flat]
        groups = [[tf.constant(x) for x in group] for group in groups]
        logits = self.logits(*tensors, groups)
        return tf.cast(logits, wide(logits.dtype)).numpy()

    def logits(self, tokens, position, place, last, groups):
        """All tokens form one row (1, N); only attention tells the requests apart."""
        model = self.model
        known: dict = {}
        for memory in self.memory:
            memory.turn(position, place, groups, known)
        x = model.embedding(tokens[None]) * scale_of(model.config)
        reach = tf.cast(tf.reduce_max(position), "int32") + 1
        first = tf.maximum(0, reach - tf.size(position))
        x = model.encode(x, first, position[None], None)
        x, _ = model.stack(x, causal=True, need_weights=False, cache=self.memory)
        return model.logits(tf.gather(x, last, axis=1))[0]


class LayerMemory:
    """A layer's keys and values in all blocks: the ``cache=`` of its attention.

    The layer's input is one row, the tokens of all requests. Work done token by token
    ignores that; attention takes the requests apart.
    """

    def __init__(self, attention: AttentionLayer, positions: int) -> None:
        self.layer = attention
        (G, K, V), dtype = attention.sizes.kept, attention.compute_dtype
        self.key = zeros((positions, G, K), dtype)
        self.value = zeros((positions, G, V), dtype)

    def turn(
        self, position: tf.Tensor, place: tf.Tensor, groups: Any, known: dict
    ) -> None:
        """Set what the next call works on, as ``Batch`` has it.

        known: each rotary encoding's waves, made once for all layers that share it.
        """
        rotary, self.place, self.groups = self.layer.rotary, place, groups
        position = tf.cast(position, "int32")
        if rotary not in known and hasattr(rotary, "waves"):
            known[rotary] = rotary.waves(position, self.key.dtype)
        # Others add 0, 1, 2 ... to where they begin: here, for each token.
        self.first = known.get(rotary, position - tf.range(tf.size(position)))

    def next_position(self, mask: Any = None) -> Any:
        """Where a rotary encoding goes on for each token, or its waves."""
        return self.first

    def limit(self, T: int, mask: Any = None, bias: Any = None) -> tuple[Any, Any]:
        """Mask and bias, unchanged."""
        return mask, bias

    def update(self, key: tf.Tensor, value: tf.Tensor) -> tuple[Any, Any]:
        """Write keys and values (1, G, N, K) of all tokens into their blocks."""
        for store, chunk in ((self.key, key), (self.value, value)):
            chunk = tf.cast(tf.transpose(chunk[0], (1, 0, 2)), store.dtype)
            scatter(store, self.place[:, None], chunk)
        return key, value

    def attend(self, query, key, value, mask, **how):
        """Attend from each request's queries, of (1, H, N, K), to its own past."""
        rows_first = tf.transpose(query[0], (1, 0, 2))
        shape = tf.shape(rows_first)[0], query.shape[1], self.value.shape[-1]
        context = tf.zeros(shape, query.dtype)
        for rows, seen, sees in self.groups:
            own = tf.gather(rows_first, rows)  # (B, T, H, K)
            own = tf.transpose(own, (0, 2, 1, 3))
            past = [taken(x, seen) for x in (self.key, self.value)]
            if (repeats := self.layer.repeats) > 1:
                past = [tf.repeat(x, repeats, axis=1) for x in past]
            found, _ = self.layer.attend(own, *past, sees, **how | {"causal": False})
            found = tf.transpose(found, (0, 2, 1, 3))
            context = tf.tensor_scatter_nd_update(context, rows[..., None], found)
        return tf.transpose(context, (1, 0, 2))[None], None


def taken(store, places):
    """Rows of all blocks at places (B, S): (B, G, S, K)."""
    return tf.transpose(tf.gather(store, places), (0, 2, 1, 3))
