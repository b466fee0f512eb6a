"""Linear attention in TensorFlow. Formulas: ``reference.py``."""

from collections.abc import Callable
from typing import Any

from attn_course.core.chunked.tf import check_gates, hide, log_of, sum_up, widen
from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import check_inputs, check_supported
from attn_course.core.layer.tf import AttentionLayer, dense, merge
from attn_course.core.precision.tf import wide
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.linear.shared import (
    FIRST_DECAY_BIAS,
    Decay,
    FeatureMap,
    LinearSizes,
    State,
    StateCache,
    check_feature_map,
    check_linear,
    check_padding,
    check_reading,
    check_step,
    parts_of,
    retention_decay,
)

__all__ = [
    "LinearAttention",
    "linear_attention",
    "linear_attention_step",
    "retention_decay",
]


def linear_attention(
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    mask: Any = None,
    *,
    feature_map: FeatureMap | Callable = "elu",
    causal: bool = False,
    decay: tf.Tensor | None = None,
    normalize: bool = True,
    epsilon: float = 1e-6,
    chunk_size: int = 128,
) -> tuple[tf.Tensor, None]:
    """See ``attn_course.reference.linear_attention``.

    Computed in float32 or more, in time and memory that grow as S; causal in chunks of
    ``chunk_size``: inside a chunk by its own small weights, before it by the state.
    """
    check_feature_map(feature_map)
    check_at_least(1, chunk_size=chunk_size)
    check_linear(query, key, value, mask, decay=decay, numbers=causal)
    check_gates(decay=decay)
    if decay is not None and not causal:
        raise ValueError("decay must be None where causal is False")
    dtype = value.dtype
    query, key, value = widen(query, key, value)
    query, key = features(query, feature_map), features(key, feature_map)
    log_decay = None if decay is None else log_of(decay, key)
    if mask is not None:
        key, log_decay = hide(key, log_decay, mask)
    sums, total = sum_up(query, key, value, log_decay, causal, chunk_size)
    output = sums / (total + epsilon) if normalize else sums
    return tf.cast(output, dtype), None


def features(x, feature_map):
    """The features of x (..., K): (..., F)."""
    if callable(feature_map):
        return feature_map(x)
    if feature_map == "elu":
        return tf.nn.elu(x) + 1
    return tf.nn.relu(x) if feature_map == "relu" else x


def linear_attention_step(
    state: Any,
    query: tf.Tensor,
    key: tf.Tensor,
    value: tf.Tensor,
    *,
    feature_map: FeatureMap | Callable = "elu",
    decay: tf.Tensor | None = None,
    normalize: bool = True,
    epsilon: float = 1e-6,
) -> tuple[tf.Tensor, Any]:
    """See ``attn_course.reference.linear_attention_step``; the state is wide."""
    check_feature_map(feature_map)
    check_step(query, key, value, decay=decay)
    check_gates(decay=decay)
    dtype = value.dtype
    query, key, value = widen(query, key, value)
    query, key = features(query, feature_map), features(key, feature_map)
    sums, total = tf.linalg.matrix_transpose(key) * value, key[..., 0, :]
    if state is not None:
        kept = tf.ones((1,), key.dtype) if decay is None else tf.cast(decay, key.dtype)
        sums = sums + kept[..., None] * state[0]
        total = total + kept * state[1]
    output = query @ sums
    if normalize:
        output = output / (query @ total[..., None] + epsilon)
    return tf.cast(output, dtype), (sums, total)


class Stateful:
    """A layer whose cache is the state that its ``new_state`` and ``step`` have."""

    def new_cache(self, batch: int, capacity: int | None, **options: Any) -> StateCache:
        """The state for ``cache=``, whatever the capacity; of no window, no sinks."""
        refused = {name: options.get(name) for name in ("window", "sinks", "pool")}
        check_supported(type(self).__name__, **refused)
        return StateCache(self.new_state(batch), tf.gather)

    def read(self, x, mask, cache):
        """The positions one by one; what the mask blocks leaves the state as it is."""
        T, outputs = x.shape[1], []
        if not tf.executing_eagerly():
            raise ValueError("cache must be used outside of a graph: there, use step")
        if mask is not None:
            check_padding(mask, (x.shape[0], 1, T, cache.length + T))
            mask = mask[..., -T:]
        for t in range(T):
            output, state = self.step(x[:, t : t + 1], cache.state)
            if mask is not None:
                memory = self.kept(state.memory, cache.state.memory, mask[..., t])
                state = State(memory, state.length)
            cache.state = state
            outputs.append(output)
        return tf.concat(outputs, axis=1)

    def kept(self, memory, before, seen):
        """The memory, and in a row that may not see its new position that before."""
        found = [
            tf.where(tf.reshape(seen, (-1, *[1] * (len(x.shape) - 1))), x, old)
            for x, old in zip(parts_of(memory), parts_of(before), strict=True)
        ]
        return tuple(found) if isinstance(memory, tuple) else found[0]


class DecayingAttention(Stateful, AttentionLayer):
    """What ``LinearAttention`` and ``DeltaRuleAttention`` share: the decay of a state.

    decay: None, "fixed" (``retention_decay``), or "learned": of every key and head the
    sigmoid of a linear map of the key's input; "columns": of each column of a key too.
    """

    can_drop = False
    mask_rows = None

    def __init__(self, model_dim: int, num_heads: int, **options: Any) -> None:
        super().__init__(model_dim, num_heads, **options)
        self.decay_dense = None
        if self.sizes.learned:
            inputs, width = self.sizes.memory_dim[0], num_heads * self.sizes.learned
            self.decay_dense = dense(self, "decay", inputs, width, True)
            bias = self.decay_dense.bias
            bias.assign(tf.fill(bias.shape, FIRST_DECAY_BIAS))

    def call(
        self,
        query: tf.Tensor,
        key: tf.Tensor | None = None,
        value: tf.Tensor | None = None,
        mask: Any = None,
        *,
        bias: tf.Tensor | None = None,
        causal: bool = False,
        need_weights: bool = True,
        head_mask: tf.Tensor | None = None,
        cache: Any = None,
    ) -> tuple[tf.Tensor, None]:
        """As in ``AttentionLayer``; the cache of ``new_cache`` holds the state.

        With that it is called with one input and ``causal=True``; in a graph of
        TensorFlow use ``step``.
        """
        if not isinstance(cache, StateCache):
            options = {"bias": bias, "causal": causal, "need_weights": need_weights}
            options |= {"head_mask": head_mask, "cache": cache}
            return super().call(query, key, value, mask, **options)
        key = query if key is None else key
        value = key if value is None else value
        inputs = query, key, value, causal
        refused = {"bias": bias, "head_mask": head_mask}
        check_reading(type(self).__name__, *inputs, **refused)
        return self.read(query, mask, cache), None

    def step(self, x: tf.Tensor, state: State) -> tuple[tf.Tensor, State]:
        """One position after those of the state: what a causal call gives there.

        Shapes:
            x (B, 1, model_dim); state of ``new_state``, or of the step before
            -> output (B, 1, model_dim), state.

        Raises:
            ValueError: x is not as above.
        """
        check_inputs(self.sizes, x, x, x)
        first = {} if self.rotary is None else {"first_position": state.length}
        query, key, value = self.project(x, x, x)
        query, key = self.prepare(query, key, **first)
        if self.repeats > 1:
            key, value = (tf.repeat(x, self.repeats, axis=1) for x in (key, value))
        inputs = query, key, value
        context, memory = self.remembering(state.memory, *inputs, **self.gates(x))
        if self.output_gate is not None:
            context = self.output_gate(context, x)
        return self.output_dense(merge(context)), State(memory, state.length + 1)

    def gates(self, memory: tf.Tensor) -> dict[str, tf.Tensor]:
        """The decay of every key, (B, H, S) or (B, H, S, K), or (1, H, 1) if fixed."""
        if self.decay_dense is not None:
            decay = open_gate(self.decay_dense(memory))
            if self.sizes.decay == "columns":
                heads = tf.split(decay, self.num_heads, axis=1)
                decay = tf.linalg.matrix_transpose(tf.stack(heads, axis=1))
            return {"decay": decay}
        if self.sizes.decay is None:
            return {}
        fixed = retention_decay(self.num_heads)[None, :, None]
        return {"decay": tf.constant(fixed, wide(memory.dtype))}


def open_gate(score: tf.Tensor) -> tf.Tensor:
    """The sigmoid of what a gate's linear map gives, (B, S, H), as (B, H, S)."""
    return tf.linalg.matrix_transpose(tf.sigmoid(tf.cast(score, wide(score.dtype))))


@keras.saving.register_keras_serializable("attn_course")
class LinearAttention(DecayingAttention):
    """Linear attention over heads: ``linear_attention``.

    ``feature_map``, ``normalize`` and ``epsilon`` as there; a feature map that is a
    function of one's own must be known to Keras for saving. decay: None, "fixed" or
    "learned", of use where it is called with ``causal=True``. The weights are never
    formed (they are None). The mask is padding. No bias of scores, no dropout.

    ``new_state`` and ``step`` decode: what is remembered does not grow.

    Raises:
        ValueError: a size is no whole number of at least 1, or an option is unknown.
    """

    Sizes = LinearSizes

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        feature_map: FeatureMap | Callable = "elu",
        decay: Decay | None = None,
        normalize: bool = True,
        epsilon: float = 1e-6,
        **options: Any,
    ) -> None:
        formula = {"feature_map": feature_map, "normalize": normalize}
        formula["epsilon"] = epsilon
        own = {"decay": decay, **formula}
        super().__init__(model_dim, num_heads, own=own, **options)
        self.formula = formula

    def new_state(self, batch: int) -> State:
        """The state of ``step`` before the first position: zeros."""
        check_at_least(1, batch=batch)
        H, dtype = self.num_heads, wide(self.query_dense.kernel.dtype)
        like = tf.zeros((batch, H, self.sizes.key_dim), dtype)
        total = tf.zeros_like(features(like, self.formula["feature_map"]))
        sums = tf.repeat(total[..., None], self.sizes.value_dim, axis=-1)
        return State((sums, total), tf.constant(0))

    def remembering(self, memory, query, key, value, **gates):
        return linear_attention_step(memory, query, key, value, **gates, **self.formula)

    def attend(
        self, query, key, value, mask, *, bias, causal, need_weights, dropout, **gates
    ):
        check_supported("LinearAttention", bias=bias, dropout=dropout)
        options = {"causal": causal, **gates, **self.formula}
        return linear_attention(query, key, value, mask, **options)

    def get_config(self) -> dict[str, Any]:
        known = keras.saving.serialize_keras_object(self.config["feature_map"])
        return {**super().get_config(), "feature_map": known}

    @classmethod
    def of_config(cls, config: dict[str, Any]) -> "LinearAttention":
        known = keras.saving.deserialize_keras_object(config["feature_map"])
        return super().of_config({**config, "feature_map": known})
