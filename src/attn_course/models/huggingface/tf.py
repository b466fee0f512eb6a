"""Layers of Hugging Face's models in TensorFlow, as ``__init__.py`` says."""

from typing import Any, ClassVar

from attn_course.core.chunked.tf import pad, widen
from attn_course.core.frameworks import keras, tf
from attn_course.core.kv_cache.tf import KVCache
from attn_course.core.layer.shared import check_supported
from attn_course.core.layer.tf import (
    Layer,
    PairLayer,
    dense,
    merge,
    split,
    with_padding,
)
from attn_course.core.masks.tf import Mask
from attn_course.core.parity import set_parameters
from attn_course.core.precision.tf import wide
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.delta_rule.tf import delta_rule_attention, delta_rule_step
from attn_course.mechanisms.differential.tf import DifferentialAttention
from attn_course.mechanisms.grouped_query.tf import GroupedQueryAttention, in_groups
from attn_course.mechanisms.indexed.tf import IndexedAttention, highest, scores_of
from attn_course.mechanisms.latent.tf import LatentAttention
from attn_course.mechanisms.linear.shared import State, StateCache
from attn_course.mechanisms.linear.tf import Stateful
from attn_course.mechanisms.multi_head.tf import MultiHeadAttention
from attn_course.mechanisms.parts.gated.tf import (
    CappedSoftmax,
    OutputGate,
    QueryKeyNorm,
    SinkSoftmax,
)
from attn_course.mechanisms.parts.lengthening.tf import LogLengthScale
from attn_course.mechanisms.parts.positional.tf import RotaryEncoding, turned
from attn_course.mechanisms.window.tf import SlidingWindowAttention
from attn_course.models.encoder.tf import EncoderLayer
from attn_course.models.feed_forward.tf import make_norm
from attn_course.models.huggingface.shared import (
    BlockSizes,
    CompressedCache,
    check_words,
    read_huggingface,
)

__all__ = ["from_huggingface"]


@keras.saving.register_keras_serializable("attn_course")
class GatedDeltaNet(Stateful, PairLayer):
    """The linear layer of Qwen3-Next, Qwen3.5 and Kimi Linear, around the delta rule.

    query, key, value = silu(convolution(linear maps of x)), the first two at length 1
    decay = exp(-exp(rate) * softplus(linear map)), one a head, or a column of its key
    output = linear(scale * context / rms(context) * activation(gate))

    The convolution is short and causal, each column by itself. Always causal. The mask
    is padding. ``new_state`` and ``step`` decode: the state of the delta rule, and the
    last inputs of the convolution.
    """

    parity_joint = "_"
    activations: ClassVar = {"silu": tf.nn.silu, "sigmoid": tf.sigmoid}

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        key_dim: int,
        value_dim: int,
        taps: int,
        columns: bool,
        activation: str,
        epsilon: float,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        H, K, V = self.sizes = num_heads, key_dim, value_dim
        self.config = {"model_dim": model_dim, "num_heads": H, "key_dim": K}
        self.config |= {"value_dim": V, "taps": taps, "columns": columns}
        self.config |= {"activation": activation, "epsilon": epsilon}
        self.activation, self.epsilon = self.activations[activation], epsilon
        for name, width in (("query", K), ("key", K), ("value", V), ("gate", V)):
            made = dense(self, name, model_dim, H * width, False)
            setattr(self, f"{name}_dense", made)
        self.beta = dense(self, "beta", model_dim, H, False)
        width = H * (K if columns else 1)
        self.decay = dense(self, "decay", model_dim, width, True)
        self.output_dense = dense(self, "output", H * V, model_dim, False)
        shapes = {"convolution": (taps, H * (2 * K + V)), "rate": (H,), "scale": (V,)}
        for name, shape in shapes.items():
            start = "ones" if name == "scale" else "zeros"
            made = self.add_weight(shape=shape, initializer=start, name=name)
            setattr(self, name, made)
        self.built = True

    def __call__(self, x: Any, mask: Any = None, **options: Any) -> Any:
        return super().__call__(x, with_padding(mask, x, axes=2), **options)

    def call(
        self, x: tf.Tensor, mask: Mask = None, *, cache: Any = None, **_: Any
    ) -> tuple[tf.Tensor, None]:
        """x (B, T, model_dim), mask (B, 1, 1, S) -> the same shape, None.

        cache: of ``new_cache``; in a graph of TensorFlow use ``step``.
        """
        if isinstance(cache, StateCache):
            return self.read(x, mask, cache), None
        check_supported("GatedDeltaNet", cache=cache)
        check_words(x, self.config["model_dim"], mask)
        if mask is not None:
            x = tf.where(mask[:, 0, 0, :, None], x, tf.zeros((), x.dtype))
        joint = pad(self.joint(x), self.convolution.shape[0] - 1, 0)
        heads, gates = self.heads(x, joint)
        context, _ = delta_rule_attention(*heads, mask=mask, **gates)
        return self.regulated(context, x), None

    def new_state(self, batch: int) -> State:
        """The state of ``step`` before the first position: zeros."""
        check_at_least(1, batch=batch)
        dtype, (N, width) = self.compute_dtype, self.convolution.shape
        heads = tf.zeros((batch, *self.sizes), wide(tf.as_dtype(dtype)))
        last = tf.zeros((batch, N - 1, width), dtype)
        return State((heads, last), tf.constant(0))

    def step(self, x: tf.Tensor, state: State) -> tuple[tf.Tensor, State]:
        """One position after those of the state: what a call gives there.

        Shapes:
            x (B, 1, model_dim); state of ``new_state``, or of the step before
            -> output (B, 1, model_dim), state.

        Raises:
            ValueError: x is not as above.
        """
        check_words(x, self.config["model_dim"], None)
        memory, last = state.memory
        joint = tf.concat([last, self.joint(x)], axis=1)
        heads, gates = self.heads(x, joint)
        context, memory = delta_rule_step(memory, *heads, **gates)
        state = State((memory, joint[:, 1:]), state.length + 1)
        return self.regulated(context, x), state

    def kept(self, memory, before, seen):
        """What is blocked leaves the heads as they are; the convolution gets zeros."""
        heads = super().kept(memory[0], before[0], seen)
        past, now = memory[1][:, :-1], memory[1][:, -1:]
        now = tf.where(tf.reshape(seen, (-1, 1, 1)), now, tf.zeros((), now.dtype))
        return heads, tf.concat([past, now], axis=1)

    def joint(self, x):
        """What goes into the convolution: (B, S, H (2 K + V))."""
        maps = self.query_dense, self.key_dense, self.value_dense
        return tf.concat([part(x) for part in maps], axis=-1)

    def heads(self, x, joint):
        """Queries, keys and values; beta and decay. joint: N - 1 positions more."""
        H, K, V = self.sizes
        joint = tf.nn.silu(convolved(joint, self.convolution))
        parts = tf.split(joint, [H * K, H * K, H * V], axis=-1)
        query, key, value = (split(part, H) for part in parts)
        fall = split(self.decay(x), H)  # (B, H, S, 1 or K)
        fall = tf.nn.softplus(fall)
        decay = tf.exp(-tf.exp(self.rate)[:, None, None] * fall)
        decay = decay[..., 0] if decay.shape[-1] == 1 else decay
        beta = tf.linalg.matrix_transpose(tf.sigmoid(self.beta(x)))
        gates = {"beta": beta, "decay": decay}
        return (K**-0.5 * of_length_1(query), of_length_1(key), value), gates

    def regulated(self, context, x):
        """The norm and the gate of what was read, and the output."""
        square = tf.reduce_mean(context**2, axis=-1, keepdims=True)
        context = self.scale * context * tf.math.rsqrt(square + self.epsilon)
        gate = self.activation(split(self.gate_dense(x), self.sizes[0]))
        return self.output_dense(merge(context * gate))


def convolved(x, taps):
    """x (B, N - 1 + S, X): of every column N positions times its taps (N, X)."""
    N, S = taps.shape[0], tf.shape(x)[1] - taps.shape[0] + 1
    return sum(x[:, n : n + S] * taps[n] for n in range(N))


def of_length_1(x):
    """x at length 1, but for what is nearly 0."""
    return x * tf.math.rsqrt(tf.reduce_sum(x**2, axis=-1, keepdims=True) + 1e-6)


@keras.saving.register_keras_serializable("attn_course")
class IndexedBlocksAttention(GroupedQueryAttention):
    """The sparse attention of MiniMax-M3: of each group of heads a small one chooses.

    score[t, n] = the best product of t's small query with a key s <= t of block n
    output      = grouped attention over the top_k best blocks, the last ones forced

    The small key is one for all groups, and a cache keeps it beside theirs. Always
    causal, without a mask or a cache's window: either would move the blocks.
    """

    Sizes = BlockSizes
    reads_memory = False  # it has one input

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        block_size: int,
        local_blocks: int,
        top_k: int,
        epsilon: float,
        **options: Any,
    ) -> None:
        super().__init__(model_dim, num_heads, **options)
        G, K = self.num_kv_heads, self.sizes.key_dim
        self.blocks = {"block_size": block_size, "local_blocks": local_blocks}
        self.blocks |= {"top_k": top_k}
        self.config |= self.blocks | {"epsilon": epsilon}
        self.index_query = dense(self, "index_query", model_dim, G * K, False)
        self.index_key = dense(self, "index_key", model_dim, K, False)
        norm = QueryKeyNorm(K, epsilon=epsilon, dtype=self.dtype_policy)
        self.index_norm = norm

    def walk(self, query, key, value, mask, *, head_mask, cache, **how):
        """All steps of grouped attention; before them, what the small heads ask."""
        window = getattr(cache, "window", None)  # it would move the blocks, as padding
        check_supported(type(self).__name__, mask=mask, window=window)
        self.check(query, key, value, head_mask)
        position = {} if cache is None else self.position(cache, mask)
        asks = self.index_norm.query(split(self.index_query(query), self.num_kv_heads))
        how["asks"], _ = self.rotary(asks, asks[:, :1], **position)
        how |= {"head_mask": head_mask, "cache": cache, "causal": True}
        return super().walk(query, key, value, mask, **how)

    def project(self, query, key, value):
        """Behind the keys of the groups the small one."""
        query, groups, value = super().project(query, key, value)
        small = split(self.index_key(key), 1)
        return query, tf.concat([groups, small], axis=1), value

    def prepare(self, query, key, **position):
        """Norms and positions, of the small key too."""
        query, groups = super().prepare(query, key[:, :-1], **position)
        small = self.index_norm.key(key[:, -1:])
        _, small = self.rotary(small, small, **position)
        return query, tf.concat([groups, small], axis=1)

    def remember(self, cache, key, value, mask, bias):
        """Of each word one entry: the keys of the groups and the small one, values."""
        G, joint = self.num_kv_heads, (merge(x)[:, None] for x in (key, value))
        key, value, mask, bias = super().remember(cache, *joint, mask, bias)
        return split(key[:, 0], G + 1), split(value[:, 0], G), mask, bias

    def attend(self, query, key, value, mask, *, asks, **options):
        """Choose blocks, then attend to their keys."""
        chosen = best_blocks(*widen(asks, key[:, -1:]), **self.blocks)
        mask = tf.repeat(chosen, self.num_heads // self.num_kv_heads, axis=1)
        return super().attend(query, key[:, :-1], value, mask, **options)


def best_blocks(query, key, *, block_size, local_blocks, top_k):
    """The formula: which keys stand in chosen blocks, (B, G, T, S)."""
    T, S = tf.shape(query)[2], tf.shape(key)[2]
    place, low = tf.range(S), tf.constant(-float("inf"), query.dtype)
    own, block = place[S - T :, None], place // block_size
    score = tf.matmul(query, key, transpose_b=True)
    score = tf.where(place <= own, score, low)
    wide = tf.pad(score, [[0, 0]] * 3 + [[0, -S % block_size]], constant_values=low)
    shape = tf.concat([tf.shape(score)[:3], [-1, block_size]], axis=0)
    best = tf.reduce_max(tf.reshape(wide, shape), axis=-1)
    before = own // block_size - tf.range(tf.shape(best)[-1])
    forced = (before >= 0) & (before < local_blocks)
    best = tf.where(forced, -low, best)
    return tf.gather(highest(best, top_k, before >= 0), block, axis=-1)


@keras.saving.register_keras_serializable("attn_course")
class CompressedAttention(PairLayer):
    """The attention of DeepSeek-V4: a window of words, and an entry a block before it.

    key = value = rms(linear(x)), one for all heads, turned by its position
    entry       = the ``Pool`` of a block of block_size words, turned as its first
    context     = softmax over words and entries, with a sink; turned back by t

    t sees an entry from its last word on: all of them, or, where top_k is given, the
    best by an indexer whose keys are pooled as well. Without a block_size there is the
    window alone. Always causal, without a mask.
    """

    parity_joint = "_"
    nested = ("rotary",)

    def __init__(
        self,
        model_dim: int,
        num_heads: int,
        *,
        key_dim: int,
        query_latent_dim: int,
        window: int,
        groups: int,
        group_dim: int,
        epsilon: float,
        rotary: RotaryEncoding,
        block_size: int | None = None,
        index_heads: int | None = None,
        index_dim: int | None = None,
        top_k: int | None = None,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        H, K, D, Q = num_heads, key_dim, model_dim, query_latent_dim
        self.config = {"model_dim": D, "num_heads": H, "key_dim": K}
        self.config |= {"query_latent_dim": Q, "window": window, "groups": groups}
        self.config |= {"group_dim": group_dim, "epsilon": epsilon, "top_k": top_k}
        self.config |= {"block_size": block_size, "index_heads": index_heads}
        self.config |= {"index_dim": index_dim}
        self.model_dim, self.num_heads, self.window = D, H, window
        self.epsilon, self.rotary, self.index_heads = epsilon, rotary, index_heads
        self.block_size, self.top_k = block_size, top_k
        own = {"dtype": self.dtype_policy}
        self.query_latent = dense(self, "query_latent", D, Q, False)
        self.latent_norm = make_norm("rms", Q, epsilon, **own)
        self.query_dense = dense(self, "query", Q, H * K, False)
        self.key_dense = dense(self, "key", D, K, False)
        self.key_norm = make_norm("rms", K, epsilon, **own)
        self.softmax = SinkSoftmax(H, dtype=self.dtype_policy)
        shape = groups, H * K // groups, group_dim
        self.grouped = self.add_weight(shape=shape, initializer="zeros", name="grouped")
        self.output_dense = dense(self, "output", groups * group_dim, D, False)
        if block_size is not None:
            pooled = {"block_size": block_size, "overlap": top_k is not None}
            self.pool = Pool(D, K, epsilon=epsilon, **pooled, **own)
        if top_k is not None:
            self.index_pool = Pool(D, index_dim, epsilon=epsilon, **pooled, **own)
            width = index_heads * index_dim
            self.index_query = dense(self, "index_query", Q, width, False)
            self.index_head = dense(self, "index_head", D, index_heads, False)
        self.built = True

    def call(
        self, x: tf.Tensor, mask: Mask = None, *, cache: Any = None, **_: Any
    ) -> tuple[tf.Tensor, None]:
        """x (B, T, model_dim) -> the same shape, None; cache: of ``new_cache``."""
        check_supported("CompressedAttention", mask=mask)
        check_words(x, self.model_dim, None)
        start = 0 if cache is None else tf.identity(cache.length)
        place = start + tf.range(tf.shape(x)[1])
        latent = self.latent_norm(self.query_latent(x))
        query = split(self.query_dense(latent), self.num_heads)
        square = tf.reduce_mean(query**2, axis=-1, keepdims=True)
        query = self.turned(query * tf.math.rsqrt(square + self.epsilon), place)
        key = self.turned(self.key_norm(self.key_dense(x))[:, None], place)
        if cache is not None:
            key, _ = cache.words.update(key, key[..., :0])
        end = start + tf.shape(x)[1]
        before = place[:, None] - tf.range(end - tf.shape(key)[2], end)
        seen = ((before >= 0) & (before < self.window))[None, None]
        if self.block_size is not None:
            entry, known = self.entries(x, latent, place, start, cache)
            rows = tf.repeat(seen, tf.shape(known)[0], axis=0)
            key, seen = tf.concat([key, entry], 2), tf.concat([rows, known], -1)
        context, _ = in_groups(query, key, key, seen, softmax=self.softmax.call)
        context = merge(self.turned(context, -place))
        groups, width, _ = self.grouped.shape
        shape = tf.concat([tf.shape(context)[:2], [groups, width]], axis=0)
        parts = tf.einsum("btgi,gir->btgr", tf.reshape(context, shape), self.grouped)
        parts = tf.reshape(parts, tf.concat([shape[:2], [-1]], axis=0))
        parts.set_shape((None, None, self.output_dense.kernel.shape[0]))
        return self.output_dense(parts), None

    def entries(self, x, latent, place, start, cache):
        """Of the whole blocks the entries (B, 1, N, K), and which each word sees."""
        m, indexed = self.block_size, self.top_k is not None
        pool = None if cache is None else cache.pool
        entry = self.pool(x, cache=pool)[:, None]
        number = start // m + tf.range(tf.shape(entry)[2])
        entry, small = self.turned(entry, m * number), entry[..., :0]
        if indexed:
            pool = None if cache is None else cache.index_pool
            small = self.turned(self.index_pool(x, cache=pool)[:, None], m * number)
        if cache is not None:
            entry, small = cache.entries.update(entry, small)
        number = tf.range(tf.shape(entry)[2])
        known = number < (place[:, None] + 1) // m
        if not indexed:
            return entry, tf.repeat(known[None, None], tf.shape(x)[0], axis=0)
        asks = split(self.index_query(latent), self.index_heads)
        asks = self.turned(asks, place), small[:, 0], self.index_head(x)
        return entry, highest(scores_of(*widen(*asks)), self.top_k, known)[:, None]

    def new_cache(self, batch: int, capacity: int) -> CompressedCache:
        """An empty cache of ``capacity`` words."""
        place = {"dtype": self.compute_dtype}
        K = self.config["key_dim"]
        words = KVCache(batch, 1, None, K, 0, window=self.window, **place)
        if self.block_size is None:
            return CompressedCache(words)
        pool, J, own = self.pool.new_cache(batch, **place), 0, None
        if self.top_k is not None:
            own = self.index_pool.new_cache(batch, **place)
            J = self.config["index_dim"]
        slots = max(1, capacity // self.block_size)
        entries = KVCache(batch, 1, slots, K, J, **place)
        return CompressedCache(words, entries, pool, own)

    def turned(self, x, place):
        """The last columns turned by their positions."""
        start = x.shape[-1] - self.rotary.key_dim
        end = turned(
            x[..., start:], self.rotary.waves(place, x.dtype), self.rotary.layout
        )
        return tf.concat([x[..., :start], end], axis=-1)


@keras.saving.register_keras_serializable("attn_course")
class Pool(Layer):
    """One entry for each whole block of words: a weighted mean of each column.

    entry = rms(sum over the block's words of softmax(gate + bias) * part)

    overlap: over the words of the block before too, whose part and gate for the next
    block are maps of their own.
    """

    parity_joint = "_"

    def __init__(
        self,
        model_dim: int,
        width: int,
        *,
        block_size: int,
        overlap: bool,
        epsilon: float,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        self.overlap, own = overlap, width * (2 if overlap else 1)
        self.part = dense(self, "part", model_dim, own, False)
        self.gate = dense(self, "gate", model_dim, own, False)
        shape = block_size, own
        self.bias = self.add_weight(shape=shape, initializer="zeros", name="bias")
        self.norm = make_norm("rms", width, epsilon, dtype=self.dtype_policy)
        self.built = True

    def call(self, x: tf.Tensor, cache: KVCache | None = None) -> tf.Tensor:
        """x (B, T, model_dim) -> (B, T // block_size, width).

        cache: of ``new_cache``; the entries of the blocks that x makes whole.
        """
        size, done = self.bias.shape[0], 0
        part, gate = self.part(x), self.gate(x)
        if cache is not None:
            whole = tf.identity(cache.length) // size
            done = tf.minimum(int(self.overlap), whole)  # blocks, read again
            kept = cache.update(part[:, None], gate[:, None])
            first = cache.length - tf.shape(kept[0])[2]
            part, gate = (x[:, 0, (whole - done) * size - first :] for x in kept)
        B, N = tf.shape(part)[0], tf.shape(part)[1] // size
        shape = B, N, size, part.shape[2]
        part, gate = (tf.reshape(x[:, : N * size], shape) for x in (part, gate))
        gate = gate + self.bias
        if self.overlap:
            low = -float("inf")
            part, gate = with_block_before(part, 0.0), with_block_before(gate, low)
        mixed = tf.reduce_sum(tf.nn.softmax(gate, axis=2) * part, axis=2)
        return self.norm(mixed[:, done:])

    def new_cache(self, batch: int, **place: Any) -> KVCache:
        """An empty one for the parts and gates of a block, and of the one before."""
        size, own = self.bias.shape
        window = 2 * size if self.overlap else size
        return KVCache(batch, 1, None, own, window=window, **place)


def with_block_before(x, first):
    """x (B, N, m, 2 W): the first half of the block before, and a block's second."""
    before, own = tf.split(x, 2, axis=-1)
    start = tf.fill(tf.shape(before[:, :1]), tf.constant(first, x.dtype))
    return tf.concat([tf.concat([start, before[:, :-1]], axis=1), own], axis=2)


KINDS = {
    kind.__name__: kind
    for kind in (
        CappedSoftmax,
        CompressedAttention,
        DifferentialAttention,
        GatedDeltaNet,
        GroupedQueryAttention,
        IndexedAttention,
        IndexedBlocksAttention,
        LatentAttention,
        LogLengthScale,
        MultiHeadAttention,
        OutputGate,
        QueryKeyNorm,
        RotaryEncoding,
        SinkSoftmax,
        SlidingWindowAttention,
    )
}


def from_huggingface(module: Any) -> keras.layers.Layer:
    """One of our layers with the weights of a layer of ``transformers``.

    See ``attn_course.models.huggingface`` for the models, and how each is called.

    Raises:
        ValueError: the module is of another class, or has what ours has not.
    """
    recipe = read_huggingface(module)
    dtype = {"dtype": next(iter(recipe.parameters.values())).dtype.name}
    parts = {
        name: KINDS[kind](**own, **dtype) for name, (kind, own) in recipe.parts.items()
    }
    layer = KINDS[recipe.kind](**recipe.options, **parts, **dtype)
    if recipe.layer is not None:
        layer = EncoderLayer(**recipe.layer, attention=layer, **dtype)
    set_parameters(layer, recipe.parameters)
    return layer
