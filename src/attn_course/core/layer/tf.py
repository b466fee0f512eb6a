"""What layers share in TensorFlow: a base, linear maps, heads, and the skeleton of
attention.

Begin with ``AttentionLayer.walk``; ``src/attn_course/README.md`` goes on.
"""

import inspect
from collections.abc import Callable
from typing import Any, ClassVar, Self

import numpy as np

from attn_course.core.frameworks import keras, tf
from attn_course.core.kv_cache.tf import KVCache
from attn_course.core.layer.shared import (
    ELSEWHERE,
    cache_in_blocks,
    check_divisible,
    check_inputs,
    check_names,
    check_parts,
    check_refused,
    check_ring,
    check_rolled,
    spell_config,
    whole_signature,
)
from attn_course.core.layer.sizes import HeadSizes
from attn_course.core.masks.tf import Mask, finite_cast
from attn_course.core.shapes import check_scores, check_shapes, dtype_name

Tensor = tf.Tensor
Pair = tuple[Tensor, Tensor]
PairOrNone = tuple[Tensor, Tensor | None]


def split_heads(x: tf.Tensor, num_heads: int) -> tf.Tensor:
    """See ``attn_course.reference.split_heads``."""
    check_divisible("x", check_shapes(x=(x, "BTD"))["D"], num_heads)
    return split(tf.convert_to_tensor(x), num_heads)


def merge_heads(x: tf.Tensor) -> tf.Tensor:
    """See ``attn_course.reference.merge_heads``."""
    check_shapes(x=(x, "BHTK"))
    return merge(tf.convert_to_tensor(x))


class Layer(keras.layers.Layer):
    """A Keras layer that keeps what it is built from, and says where padding goes.

    Keras hangs padding (B, S) on a tensor (``Embedding(mask_zero=True)``). A layer that
    works on every position alone, an encoding, a norm, hands it on
    (``hands_on_padding = True``); an attention adds that of its keys to the mask
    (``with_padding``).
    """

    config: ClassVar[dict[str, Any]] = {}
    hands_on_padding = False
    returns_pair = False  # whether an output that came alone stands before a None

    def __init_subclass__(cls, **options: Any) -> None:
        super().__init_subclass__(**options)
        cls.__signature__ = whole_signature(cls)  # for help, editors and completion

    def __new__(cls, *sizes: Any, **options: Any) -> Self:
        check_refused(cls, options)  # what else is unknown, Keras names
        return super().__new__(cls, *sizes, **options)

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        # Where a mask is None, Keras looks whether the input carries one, and passes
        # what it finds by name: an error if the None was given by position.
        while inputs and inputs[-1] is None:
            inputs = inputs[:-1]
        if ELSEWHERE.keys() & options:
            check_names(self.call, type(self).__name__, options)
        if options.get("bias") is None:
            found = super().__call__(*inputs, **options)
        else:
            found = self._call_with_bias(inputs, options)
        alone = self.returns_pair and not isinstance(found, tuple)
        return (found, None) if alone else found

    def _call_with_bias(self, inputs: tuple, options: dict[str, Any]) -> Any:
        # Keras would cast it as all else, and make numbers beyond float16 infinite.
        def convert(x):
            policy, padding = self.dtype_policy, getattr(x, "_keras_mask", None)
            x = policy.convert_input(x, self.autocast, self.input_dtype)
            if padding is not None:
                x._keras_mask = padding
            return x

        bias, own = options["bias"], self.compute_dtype
        dtype = tf.float64 if own == "float64" else tf.float32
        inputs, options = keras.tree.map_structure(convert, (inputs, options))
        self._convert_input_args = False
        try:
            if tf.as_dtype(bias.dtype).is_floating:  # else refused by name
                options["bias"] = finite_cast(bias, dtype)
            return super().__call__(*inputs, **options)
        finally:
            self._convert_input_args = True

    def build(self, *shapes: Any, **named_shapes: Any) -> None:
        """Nothing is left to do: a layer has its weights from the beginning."""

    def compute_mask(self, x: Any, previous_mask: Any = None) -> Any:
        return previous_mask if self.hands_on_padding else None

    def compute_output_spec(self, *inputs: Any, **options: Any) -> Any:
        # Traced: Keras would ask compute_output_shape, which knows no dtype, no option.
        return keras.Operation.compute_output_spec(self, *inputs, **options)

    def get_config(self) -> dict[str, Any]:
        config = {**super().get_config(), **self.config}
        if modes := quantized(self):
            config["quantized"] = modes
        return config

    @classmethod
    def from_config(cls, config: dict[str, Any]) -> Self:
        own = dict(config)
        modes = own.pop("quantized", {})
        layer = cls.of_config(own)
        quantize(layer, modes)
        return layer

    @classmethod
    def of_config(cls, config: dict[str, Any]) -> Self:
        """A layer from what ``get_config`` says of it, before anything is quantized."""
        return cls(**config)

    def extra_repr(self) -> str:
        return spell_config(self.config)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.extra_repr()})"


def quantized(layer: Layer) -> dict[str, str]:
    """How the quantized parts of a layer were, "int8" ..., by their numbers."""
    parts = enumerate(layer._flatten_layers(include_self=False))
    modes = {str(number): part.quantization_mode for number, part in parts}
    return {number: mode for number, mode in modes.items() if mode is not None}


def quantize(layer: Layer, modes: dict[str, str]) -> None:
    """Quantize the parts that ``quantized`` told of, so that a file's weights fit."""
    parts = list(layer._flatten_layers(include_self=False))
    for number, mode in modes.items():
        part = parts[int(number)]
        if part.quantization_mode != mode:  # a part's own config may have done it
            part.quantize(mode)


def with_padding(mask: Any, *inputs: Any, axes: int, query: Any = None) -> Any:
    """The mask, and the padding (B, S) that Keras carries on the inputs.

    A mask of two axes is (T, S), unless it is the padding that is carried: Keras itself
    passes that by name in ``Sequential``, and users what ``compute_mask`` gives. Then
    it counts once.

    axes: how many axes the scores have between B and S: 2 over heads, else 1. query:
    what has the positions T, the first of the inputs unless it is given.

    Raises:
        ValueError: a mask of two axes is no (T, S), or could be padding too.
    """
    carried = []
    for x in inputs:
        padding = getattr(x, "_keras_mask", None)
        if padding is not None and not any(padding is one for one in carried):
            carried.append(padding)
    if carried and axes and mask is not None and len(mask.shape) == 2:
        if any(is_same(mask, padding) for padding in carried):
            mask = None
        else:
            check_rows(mask, carried[0].shape[0], (query, *inputs)[query is None])
    for padding in carried:
        for _ in range(axes):  # not by an index: TFLite knows no two new axes at once
            padding = keras.ops.expand_dims(padding, 1)
        mask = padding if mask is None else both(padding, mask)
    return mask


def both(padding: Any, mask: Any) -> Any:
    """The mask, boolean or numbers of documents, without what is padding."""
    if dtype_name(mask) == "bool":
        return padding & mask
    return keras.ops.where(padding, mask, keras.ops.zeros_like(mask))


def check_rows(mask: Any, B: int | None, query: Any) -> None:
    """Raise ValueError unless a mask beside padding is (T, S), and nothing else."""
    rows, T = mask.shape[0], query.shape[1]
    hint = "Padding (B, S) is passed as mask[:, None, None], rows as mask[None, None]"
    if None not in (rows, T) and rows != T:
        wanted = f"(T, S) with T = {T}, beside the padding that Keras carries"
        raise ValueError(f"mask must have shape {wanted}, got {mask.shape}. {hint}")
    if rows is None or rows == B:
        either = f"could be rows (T, S) or other padding (B, S), as it is {mask.shape}"
        raise ValueError(f"mask beside the padding that Keras carries {either}. {hint}")


def is_same(mask: Any, padding: Any) -> bool:
    """Whether a mask is the padding that Keras carries, or was made alike."""
    if mask is padding:
        return True
    if any(isinstance(x, keras.KerasTensor) for x in (mask, padding)):
        alike = type(mask) is type(padding)
        return alike and _same_step(*map(_symbolic_step, (mask, padding)))
    if tf.executing_eagerly() or not tf.is_tensor(mask):
        known = tf.get_static_value(padding)
        return known is not None and np.array_equal(known, mask)
    if not all(hasattr(x, "graph") for x in (mask, padding)):  # one is from outside
        return False
    return _same_step(*map(_graph_step, (mask, padding)))


def _same_step(one, other):
    """Whether two operations are of one kind, of the same tensors and constants."""
    kind, inputs = one
    if kind != other[0] or len(inputs) != len(other[1]):
        return False
    return all(x is y or _equal(x, y) for x, y in zip(inputs, other[1], strict=True))


def _equal(x, y):
    symbolic = any(isinstance(one, keras.KerasTensor) for one in (x, y))
    return not symbolic and type(x) is type(y) and bool(np.all(x == y))


def _symbolic_step(x):
    """What makes a tensor of a functional model: the operation's kind, its inputs."""
    operation, number, _ = x._keras_history
    given = operation._inbound_nodes[number].arguments
    return type(operation), keras.tree.flatten((given.args, given.kwargs))


def _graph_step(x):
    """What makes a tensor of a graph: the operation's kind, its inputs' names."""
    values = [tf.get_static_value(each) for each in x.op.inputs]
    named = zip(values, x.op.inputs, strict=True)
    return x.op.type, [each.name if known is None else known for known, each in named]


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


class PairLayer(Layer):
    """A layer that returns a pair, output and weights; the weights may be None.

    They are None too in place of a tuple of None, in a functional model of a stack.
    ``TimeDistributed`` takes no pair: give it ``keras.Model(x, layer(x)[0])``.

    nested: the layers among its constructor's arguments.
    """

    nested: ClassVar[tuple[str, ...]] = ()
    returns_pair = True

    def compute_output_spec(self, *inputs: Any, **options: Any) -> Any:
        # A functional model takes no None among the outputs: there the first goes
        # alone, and ``__call__`` puts the None beside it again.
        first, weights = super().compute_output_spec(*inputs, **options)
        nothing = all(x is None for x in keras.tree.flatten(weights))
        return first if nothing else (first, weights)

    def get_config(self) -> dict[str, Any]:
        save = keras.saving.serialize_keras_object
        parts = {name: save(getattr(self, name)) for name in self.nested}
        return {**super().get_config(), **parts}

    @classmethod
    def of_config(cls, config: dict[str, Any]) -> Self:
        load = keras.saving.deserialize_keras_object
        # A file from before a part was known has no entry for it.
        parts = {name: load(config.get(name)) for name in cls.nested}
        return cls(**{**config, **parts})


class WholeModel(PairLayer, keras.Model):
    """A model from tokens to logits, which ``fit`` trains as any of Keras's.

    ``fit((source, target), wanted)``: what ``call`` takes, in its order, or a dict of
    it by name. Loss and metrics see the logits alone, and ``predict`` returns them, as
    does what ``export`` writes, for tokens of int32, of any batch and length.
    A ``call`` names ``training``, or ``fit`` would not tell the parts.
    """

    def __call__(self, *inputs: Any, **options: Any) -> Any:
        if len(inputs) == 1 and isinstance(inputs[0], dict):
            inputs, options = (), inputs[0] | options
        elif len(inputs) == 1 and isinstance(inputs[0], tuple | list):
            inputs = tuple(inputs[0])
        return super().__call__(*inputs, **options)

    def compute_loss(
        self, x=None, y=None, y_pred=None, sample_weight=None, training=True
    ):
        return super().compute_loss(x, y, y_pred[0], sample_weight, training)

    def compute_metrics(self, x, y, y_pred, sample_weight=None):
        return super().compute_metrics(x, y, y_pred[0], sample_weight)

    def predict_step(self, data):
        return super().predict_step(data)[0]

    def export(self, filepath, format="tf_saved_model", **options):
        wanted = inspect.signature(self.call).parameters.values()
        names = [each.name for each in wanted if each.default is each.empty]
        given = [keras.Input((None,), dtype="int32", name=name) for name in names]
        model = keras.Model(given if given[1:] else given[0], self(*given)[0])
        model.export(filepath, format, **options)


class AttentionLayer(PairLayer):
    """Attention over heads; ``walk`` is the whole way, a step a line.

    A mechanism overrides ``attend``, and rarely another step; its own sizes stand in a
    ``HeadSizes`` of its own. What is done before the cache or after the context is a
    part handed to the constructor, so that every mechanism can have it:

        scale           of the scores: where ``own_scale``; None is 1 / sqrt(key_dim)
        value_norm      epsilon of a norm of each head's values, which has no scale
        rotary          (query, key, *, first_position) -> (query, key)
        query_key_norm  (query, key) -> (query, key), before rotary
        softmax         (score (B, H, ..., S), mask) -> weights: where ``own_softmax``
        output_gate     (context (B, H, T, V), query's input (B, T, D)) -> context

    The padding that Keras carries on key and value is blocked, together with what the
    mask blocks.

    Raises:
        ValueError: a size is not as ``attn_course.core.layer.sizes.HeadSizes`` says.
    """

    Sizes = HeadSizes
    parity_joint = "_"  # query.kernel is called query_weight in ``attn_course.parity``
    nested = ("rotary", "query_key_norm", "softmax", "output_gate")
    shared_key = False  # whether ``key_dense`` is not made: a subclass says what it is
    can_drop = True  # whether there are weights that dropout could drop
    grouped = False  # whether ``attend`` takes fewer heads of key and value
    own_softmax = False  # whether ``attend`` takes another softmax
    own_scale = False  # whether ``attend`` takes another scale of the scores
    reads_memory = True  # whether key and value may come from elsewhere
    reads_positions = False  # whether ``attend`` asks where query and key stand
    mask_rows = True  # whether a query may have a row; None: or documents be numbered
    gates: Callable | None = None  # (memory) -> more arguments of ``attend``
    refused: ClassVar[tuple[str, ...]] = ()  # the options below that it has no use for

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        num_kv_heads: int | None = None,
        key_dim: int | None = None,
        value_dim: int | None = None,
        memory_dim: int | tuple[int, int] | None = None,
        use_bias: bool = True,
        dropout: float = 0.0,
        scale: float | None = None,
        value_norm: float | None = None,
        rotary: keras.layers.Layer | None = None,
        query_key_norm: keras.layers.Layer | None = None,
        softmax: keras.layers.Layer | None = None,
        output_gate: keras.layers.Layer | None = None,
        seed: int | None = None,
        own: dict[str, Any] | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        heads = num_heads, num_kv_heads, key_dim, value_dim
        rest = memory_dim, use_bias, dropout, scale, value_norm
        sizes = self.Sizes.of(model_dim, *heads, *rest, own)
        check_parts(type(self), sizes, softmax, query_key_norm, rotary)
        self.sizes, self.config = sizes, {"seed": seed} | sizes.config()  # of dropout
        self.num_heads, self.num_kv_heads = sizes.num_heads, sizes.num_kv_heads
        self.repeats = 1 if self.grouped else self.num_heads // self.num_kv_heads
        # What it drops, the weights, may be wider than the layer's own dtype.
        dtype = {"dtype": self.dtype_policy, "autocast": False}
        self.dropout = keras.layers.Dropout(dropout, seed=seed, **dtype)
        self.make_maps()
        self.rotary, self.query_key_norm = rotary, query_key_norm
        self.softmax, self.output_gate = softmax, output_gate
        self.built = True

    def make_maps(self) -> None:
        """The linear maps, by the sizes."""
        sizes, use_bias = self.sizes, self.sizes.use_bias
        key_width, value_width = sizes.memory_dim
        H, G, K, V = sizes.num_heads, sizes.num_kv_heads, sizes.key_dim, sizes.value_dim
        self.query_dense = dense(self, "query", sizes.model_dim, H * K, use_bias)
        if not self.shared_key:
            self.key_dense = dense(self, "key", key_width, G * K, use_bias)
        self.value_dense = dense(self, "value", value_width, G * V, use_bias)
        self.output_dense = dense(self, "output", H * V, sizes.model_dim, use_bias)

    def __call__(
        self,
        query: Any,
        key: Any = None,
        value: Any = None,
        mask: Any = None,
        **options: Any,
    ) -> Any:
        keys = query if key is None else key
        mask = with_padding(mask, keys, value, axes=2, query=query)
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
            -> output (B, T, model_dim), weights (B, H, T, S): None without
            ``need_weights``, and from a layer that never forms them, as it says.
            A mask that is padding, as the class says, is (B, 1, 1, S), without a bias.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        key = query if key is None else key
        value = key if value is None else value
        inputs = query, key, value
        how = {"bias": bias, "causal": causal, "need_weights": need_weights}
        return self.walk(*inputs, mask, head_mask=head_mask, cache=cache, **how)

    def walk(self, query, key, value, mask, *, bias, head_mask, cache, **how):
        """All steps, one a line; what is not there is passed by."""
        self.check(query, key, value, head_mask)
        q, k, v = self.project(query, key, value)
        if cache is None:
            q, k = self.prepare(q, k)
        else:
            q, k = self.prepare(q, k, **self.position(cache, mask))
            k, v, mask, bias = self.remember(cache, k, v, mask, bias)
        if self.repeats > 1:
            k, v = (tf.repeat(x, self.repeats, axis=1) for x in (k, v))
        if self.own_softmax:
            check_scores(q, k, mask, bias, rows=self.mask_rows)
        how |= self.options(key)
        attend = getattr(cache, "attend", self.attend)  # of one that holds many texts
        context, weights = attend(q, k, v, mask, bias=bias, **how)
        if self.output_gate is not None:
            context = self.output_gate(context, query)
        if head_mask is not None:
            context = context * tf.cast(head_mask, context.dtype)[..., None, None]
        return self.output_dense(merge(context)), weights

    def project(self, query, key, value):
        """Linear maps, cut into heads: (B, H, T, K), (B, G, S, K), (B, G, S, V)."""
        q, k, v = self.query_dense(query), self.key_dense(key), self.value_dense(value)
        # As many as the maps give: where devices share the heads, each has some.
        H, G = (x.shape[-1] // self.sizes.key_dim for x in (q, k))
        value = split(v, G)
        if self.sizes.value_norm is not None:
            value = self.normed(value)
        return split(q, H), split(k, G), value

    def normed(self, value):
        """The values (B, G, S, V), each at a root mean square of 1."""
        epsilon = self.sizes.value_norm
        return keras.ops.rms_normalization(value, epsilon=epsilon)

    def prepare(self, query, key, **position):
        """What is done to query and key before the cache: norm, then positions."""
        if self.query_key_norm is not None:
            query, key = self.query_key_norm(query, key)
        if self.rotary is not None:
            query, key = self.rotary(query, key, **position)
        return query, key

    def remember(self, cache, key, value, mask, bias):
        """All keys and values so far, and mask and bias for them."""
        check_ring(self, cache)
        T = tf.shape(key)[2] if key.shape[2] is None else key.shape[2]
        mask, bias = cache.limit(T, mask, bias)
        return *cache.update(key, value), mask, bias

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

    def options(self, memory):
        """The arguments of ``attend`` that are the layer's, not the call's."""
        options = {"dropout": self.dropout if self.sizes.dropout else None}
        if self.sizes.scale is not None:
            options["scale"] = self.sizes.scale
        if self.softmax is not None:
            # Its ``call``: inside the formula all stays in the formula's dtype.
            options["softmax"] = self.softmax.call
        if self.gates is not None:
            options |= self.gates(memory)
        return options

    def position(self, cache, mask):
        """Where the first new key stands, for positions behind a cache."""
        check_rolled(mask)
        if self.rotary is None:
            return {}
        return {"first_position": cache.next_position(mask)}

    def check(self, query: Any, key: Any, value: Any, head_mask: Any) -> None:
        """Raise ValueError unless the inputs fit the layer and each other."""
        check_inputs(self.sizes, query, key, value, head_mask)

    def new_cache(
        self, batch: int, capacity: int | None, *, pool: Any = None, **options: Any
    ) -> KVCache:
        """An empty cache for ``cache=``, in the dtype that the layer computes in.

        options: those of ``KVCache``; pool: a ``BlockPool`` that it takes blocks from.
        """
        if pool is not None:
            return cache_in_blocks(pool, self.sizes, batch, capacity, options)
        G, K, V = self.sizes.kept
        options = {"dtype": self.compute_dtype} | options
        return KVCache(batch, G, capacity, K, V, **options)

    def compute_mask(self, query: Any, previous_mask: Any = None) -> Any:
        return previous_mask, None

    def compute_output_shape(
        self, query_shape: tuple, key_shape: tuple | None = None, **shapes: Any
    ) -> tuple[tuple, tuple]:
        key_shape = query_shape if key_shape is None else key_shape
        weights = query_shape[0], self.num_heads, query_shape[1], key_shape[1]
        return tuple(query_shape), weights


def matrix_of(layer: keras.layers.Layer, inputs: int, like: tf.Tensor) -> tf.Tensor:
    """The matrix of a linear map without bias, (in, out), in the dtype of ``like``.

    What took the place of a plain ``keras.layers.Dense``, or changes what it gives (an
    adapter, quantization), is not passed by: it is asked what it makes of an identity.
    """
    if is_plain(layer, keras.layers.Dense):
        return tf.cast(layer.kernel, like.dtype)
    return tf.cast(layer(tf.eye(inputs, dtype=like.dtype)), like.dtype)


def is_plain(layer: keras.layers.Layer, kind: type) -> bool:
    """Whether a call of a linear map is a product with its kernel, and nothing else.

    With ``keras.layers.Embedding`` as kind: whether a call takes rows of its table.
    """
    changed = getattr(layer, "quantization_mode", None), "call" in vars(layer)
    adapted = getattr(layer, "lora_enabled", False)
    return type(layer) is kind and not any(changed) and not adapted


def copies(layer: AttentionLayer, *names: str) -> dict[str, Any]:
    """Parts of a layer for another one: rotary itself, of others a copy."""
    parts = {name: getattr(layer, name) for name in names}
    made = {
        name: part and type(part).from_config(part.get_config())
        for name, part in parts.items()
    }
    return {"rotary": layer.rotary} | made


def split(x: tf.Tensor, num_heads: int) -> tf.Tensor:
    """(B, T, H*K) -> (B, H, T, K): head h is the h-th block of columns."""
    own = -1 if x.shape[2] is None else x.shape[2] // num_heads
    x = tf.reshape(x, (tf.shape(x)[0], tf.shape(x)[1], num_heads, own))
    return tf.transpose(x, (0, 2, 1, 3))


def merge(x: tf.Tensor) -> tf.Tensor:
    """(B, H, T, K) -> (B, T, H*K): the inverse of ``split``."""
    _, H, _, K = x.shape
    x = tf.transpose(x, (0, 2, 1, 3))
    width = -1 if None in (H, K) else H * K
    return tf.reshape(x, (tf.shape(x)[0], tf.shape(x)[1], width))


def over_merged_axes(x: tf.Tensor, matrix: tf.Tensor) -> tf.Tensor:
    """x (..., K) times a matrix (K, N) or a vector (K), over merged axes.

    As it stands, a product of (B, 1, M, K) with one for all would make TensorFlow 2.21
    write beyond its memory where oneDNN is on.
    """
    return tf.tensordot(x, matrix, 1)


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
