"""What layers share in TensorFlow: a base, linear maps, heads, and the skeleton of
attention."""

from typing import Any, ClassVar

import numpy as np

from attn_course.frameworks import keras, tf
from attn_course.layers.shared import (
    check_divisible,
    check_inputs,
    head_config,
    spell_config,
)
from attn_course.shapes import check_shapes

Mask = tf.Tensor | np.ndarray | None  # the builders of ``attn_course.masks``: NumPy
Tensor = tf.Tensor
Pair = tuple[Tensor, Tensor]
PairOrNone = tuple[Tensor, Tensor | None]


def split_heads(x: tf.Tensor, num_heads: int) -> tf.Tensor:
    """See ``attn_course.reference.split_heads``."""
    width = check_shapes(x=(x, "BTD"))["D"]
    check_divisible("x", width, num_heads)
    own = -1 if width is None else width // num_heads
    shape = (tf.shape(x)[0], tf.shape(x)[1], num_heads, own)
    return tf.transpose(tf.reshape(x, shape), (0, 2, 1, 3))


def merge_heads(x: tf.Tensor) -> tf.Tensor:
    """See ``attn_course.reference.merge_heads``."""
    _, H, _, K = check_shapes(x=(x, "BHTK")).values()
    width = -1 if None in (H, K) else H * K
    x = tf.transpose(x, (0, 2, 1, 3))
    return tf.reshape(x, (tf.shape(x)[0], tf.shape(x)[1], width))


class Layer(keras.layers.Layer):
    """A Keras layer that keeps what it is built from, and says where padding goes.

    Keras hangs padding (B, S) on a tensor (``Embedding(mask_zero=True)``). A layer that
    works on every position alone, an encoding, a norm, hands it on
    (``hands_on_padding = True``); an attention adds that of its keys to the mask
    (``with_padding``).
    """

    config: ClassVar[dict[str, Any]] = {}
    hands_on_padding = False

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        # Where a mask is None, Keras looks whether the input carries one, and passes
        # what it finds by name: an error if the None was given by position.
        while inputs and inputs[-1] is None:
            inputs = inputs[:-1]
        return super().__call__(*inputs, **options)

    def build(self, *shapes: Any, **named_shapes: Any) -> None:
        """Nothing is left to do: a layer has its weights from the beginning."""

    def compute_mask(self, x: Any, previous_mask: Any = None) -> Any:
        return previous_mask if self.hands_on_padding else None

    def compute_output_spec(self, *inputs: Any, **options: Any) -> Any:
        # Traced: Keras would ask compute_output_shape, which knows no dtype, no option.
        return keras.Operation.compute_output_spec(self, *inputs, **options)

    def get_config(self) -> dict[str, Any]:
        return {**super().get_config(), **self.config}

    def extra_repr(self) -> str:
        return spell_config(self.config)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.extra_repr()})"


def with_padding(mask: Any, *inputs: Any, axes: int) -> Any:
    """The mask, and the padding (B, S) that Keras carries on the inputs.

    axes: how many axes the scores have between B and S: 2 over heads, else 1.
    """
    for x in inputs:
        padding = getattr(x, "_keras_mask", None)
        if padding is not None:
            padding = padding[(slice(None), *[None] * axes)]
            mask = padding if mask is None else padding & mask
    return mask


def dense(
    layer: Layer, name: str, inputs: int, outputs: int, use_bias: bool
) -> keras.layers.Dense:
    """A linear map of a layer, built at once: Keras alone would wait for a call.

    Its weights are drawn by Glorot's uniform rule; a bias begins with zeros.
    """
    options = {"use_bias": use_bias, "name": name, "dtype": layer.dtype_policy}
    part = keras.layers.Dense(outputs, **options)
    with keras.name_scope(layer.name):  # so that the path is layer/query/kernel
        part.build((None, inputs))
    return part


class AttentionLayer(Layer):
    """Attention over heads: project, split, attend, merge, project.

    A mechanism overrides ``attend``; see ``attn_course.layers``. ``num_kv_heads`` is
    for those that know fewer heads of key and value. The padding that Keras carries on
    key and value is blocked, together with what the mask blocks. In a functional model
    no output may be None: take the weights there.

    Raises:
        ValueError: a size is not as ``attn_course.layers.shared.head_config`` says.
    """

    parity_joint = "_"  # query.kernel is called query_weight in ``attn_course.parity``
    num_kv_heads: int | None = None

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        key_dim: int | None = None,
        value_dim: int | None = None,
        memory_dim: int | tuple[int, int] | None = None,
        use_bias: bool = True,
        dropout: float = 0.0,
        rotary: keras.layers.Layer | None = None,
        seed: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        widths = key_dim, value_dim, memory_dim
        self.config = head_config(model_dim, num_heads, *widths, use_bias, dropout)
        D, H, K, V, (E, F), *_ = self.config.values()
        self.config["seed"] = seed  # of dropout
        G = self.num_kv_heads or H
        self.num_heads, self.num_kv_heads, self.rotary = H, G, rotary
        # What it drops, the weights, may be wider than the layer's own dtype.
        dtype = {"dtype": self.dtype_policy, "autocast": False}
        self.dropout = keras.layers.Dropout(dropout, seed=seed, **dtype)
        self.query_dense = dense(self, "query", D, H * K, use_bias)
        self.key_dense = dense(self, "key", E, G * K, use_bias)
        self.value_dense = dense(self, "value", F, G * V, use_bias)
        self.output_dense = dense(self, "output", H * V, D, use_bias)
        self.built = True

    def __call__(
        self,
        query: Any,
        key: Any = None,
        value: Any = None,
        mask: Any = None,
        **options: Any,
    ) -> Any:
        mask = with_padding(mask, query if key is None else key, value, axes=2)
        return super().__call__(query, key, value, mask, **options)

    def call(
        self,
        query: tf.Tensor,
        key: tf.Tensor | None = None,
        value: tf.Tensor | None = None,
        mask: Mask = None,
        *,
        bias: tf.Tensor | None = None,
        causal: bool = False,
        need_weights: bool = True,
        head_mask: tf.Tensor | None = None,
        cache: Any = None,
    ) -> tuple[tf.Tensor, tf.Tensor | None]:
        """Attend from every query to the keys; without a key, to the query itself.

        Shapes:
            query (B, T, model_dim), key (B, S, memory_dim), value (B, S, memory_dim);
            key None takes the query, value None takes the key. mask boolean (T, S),
            (B, 1, 1, S), (B, 1, T, S) ..., True = may attend; bias (T, S), (H, T, S) or
            (B, H, T, S), added to the scaled scores; head_mask (H) or (B, H), scales
            each head's context; cache: keys and values so far, S counts them too
            -> output (B, T, model_dim), weights (B, H, T, S) or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        key = query if key is None else key
        value = key if value is None else value
        check_inputs(self.config, query, key, value, head_mask)
        queries = split_heads(self.query_dense(query), self.num_heads)
        keys = split_heads(self.key_dense(key), self.num_kv_heads)
        values = split_heads(self.value_dense(value), self.num_kv_heads)
        if self.rotary is not None:
            place = {}
            if cache is not None:
                place["first_position"] = cache.next_position(mask)
            queries, keys = self.rotary(queries, keys, **place)
        if cache is not None:
            T = tf.shape(keys)[2] if keys.shape[2] is None else keys.shape[2]
            mask, bias = cache.limit(T, mask, bias)
            keys, values = cache.update(keys, values)
        options = {"bias": bias, "causal": causal, "need_weights": need_weights}
        options["dropout"] = self.dropout if self.config["dropout"] else None
        options |= self.gates(key)
        context, weights = self.attend(queries, keys, values, mask, **options)
        if head_mask is not None:
            context = context * tf.cast(head_mask, context.dtype)[..., None, None]
        return self.output_dense(merge_heads(context)), weights

    def gates(self, key: tf.Tensor) -> dict[str, tf.Tensor]:
        """Further arguments of ``attend``, computed from the layer's input of keys."""
        return {}

    def attend(
        self,
        query: tf.Tensor,
        key: tf.Tensor,
        value: tf.Tensor,
        mask: Mask,
        *,
        bias: tf.Tensor | None,
        causal: bool,
        need_weights: bool,
        dropout: keras.layers.Layer | None,
    ) -> tuple[tf.Tensor, tf.Tensor | None]:
        """The mechanism: context (B, H, T, V), and weights (B, H, T, S) or None."""
        raise NotImplementedError

    def compute_mask(self, query: Any, previous_mask: Any = None) -> Any:
        return previous_mask, None

    def compute_output_shape(
        self, query_shape: tuple, key_shape: tuple | None = None, **shapes: Any
    ) -> tuple[tuple, tuple]:
        key_shape = query_shape if key_shape is None else key_shape
        weights = query_shape[0], self.num_heads, query_shape[1], key_shape[1]
        return tuple(query_shape), weights

    def get_config(self) -> dict[str, Any]:
        rotary = keras.saving.serialize_keras_object(self.rotary)
        return {**super().get_config(), "rotary": rotary}

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> "AttentionLayer":
        rotary = keras.saving.deserialize_keras_object(config["rotary"])
        return cls(**{**config, "rotary": rotary})


class PairLayer(Layer):
    """A layer made of the library's parts; it returns a pair.

    nested: the layers among its constructor's arguments.
    """

    nested: ClassVar[tuple[str, ...]] = ()

    def __call__(self, *inputs, **options):
        found = super().__call__(*inputs, **options)
        return found if isinstance(found, tuple) else (found, None)

    def compute_output_spec(self, *inputs, **options):
        # In a functional model of Keras no output may be None: the first goes alone.
        first, second = super().compute_output_spec(*inputs, **options)
        return first if second is None else (first, second)

    def get_config(self):
        save = keras.saving.serialize_keras_object
        parts = {name: save(getattr(self, name)) for name in self.nested}
        return {**super().get_config(), **parts}

    @classmethod
    def from_config(cls, config):
        load = keras.saving.deserialize_keras_object
        return cls(**{**config, **{name: load(config[name]) for name in cls.nested}})


def add_padding(mask: Any, memory: Any) -> Any:
    """The mask, (B, S) or (B, T, S), and the padding that Keras carries on a memory."""
    padding = getattr(memory, "_keras_mask", None)
    if padding is None or mask is None:
        return mask if padding is None else padding
    return (padding if len(mask.shape) == 2 else padding[:, None]) & mask


def stacked(steps):
    """What every step gave, side by side: (B, T, ...) each; None where it gave None."""
    columns = zip(*steps, strict=True)
    return tuple(None if x[0] is None else tf.stack(x, axis=1) for x in columns)
