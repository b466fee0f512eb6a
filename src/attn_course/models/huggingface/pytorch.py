"""Layers of Hugging Face's models in PyTorch, as ``__init__.py`` says."""

from typing import Any, ClassVar

from attn_course.core.chunked.pytorch import pad, widen
from attn_course.core.frameworks import torch
from attn_course.core.kv_cache.pytorch import KVCache
from attn_course.core.layer.pytorch import Module, make_linear, merge, split
from attn_course.core.layer.shared import check_supported
from attn_course.core.masks.pytorch import Mask, to_mask
from attn_course.core.parity import set_parameters
from attn_course.core.precision.pytorch import wide
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.delta_rule.pytorch import (
    delta_rule_attention,
    delta_rule_step,
)
from attn_course.mechanisms.differential.pytorch import DifferentialAttention
from attn_course.mechanisms.grouped_query.pytorch import (
    GroupedQueryAttention,
    in_groups,
)
from attn_course.mechanisms.indexed.pytorch import IndexedAttention, highest, scores_of
from attn_course.mechanisms.latent.pytorch import LatentAttention
from attn_course.mechanisms.linear.pytorch import Stateful
from attn_course.mechanisms.linear.shared import State, StateCache
from attn_course.mechanisms.multi_head.pytorch import MultiHeadAttention
from attn_course.mechanisms.parts.gated.pytorch import (
    CappedSoftmax,
    OutputGate,
    QueryKeyNorm,
    SinkSoftmax,
)
from attn_course.mechanisms.parts.lengthening.pytorch import LogLengthScale
from attn_course.mechanisms.parts.positional.pytorch import RotaryEncoding, turned
from attn_course.mechanisms.window.pytorch import SlidingWindowAttention
from attn_course.models.encoder.pytorch import EncoderLayer
from attn_course.models.feed_forward.pytorch import make_norm
from attn_course.models.huggingface.shared import (
    BlockSizes,
    CompressedCache,
    check_words,
    read_huggingface,
)

__all__ = ["from_huggingface"]


class GatedDeltaNet(Stateful, Module):
    """The linear layer of Qwen3-Next, Qwen3.5 and Kimi Linear, around the delta rule.

    query, key, value = silu(convolution(linear maps of x)), the first two at length 1
    decay = exp(-exp(rate) * softplus(linear map)), one a head, or a column of its key
    output = linear(scale * context / rms(context) * activation(gate))

    The convolution is short and causal, each column by itself. Always causal. The mask
    is padding. ``new_state`` and ``step`` decode: the state of the delta rule, and the
    last inputs of the convolution.
    """

    parity_joint = "_"
    activations: ClassVar = {"silu": torch.nn.functional.silu, "sigmoid": torch.sigmoid}

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
    ) -> None:
        super().__init__()
        H, K, V = self.sizes = num_heads, key_dim, value_dim
        self.config = {"model_dim": model_dim, "num_heads": H}
        self.activation, self.epsilon = self.activations[activation], epsilon
        for name, width in (("query", K), ("key", K), ("value", V), ("gate", V)):
            setattr(self, name, make_linear(model_dim, H * width, False))
        self.beta = make_linear(model_dim, H, False)
        self.decay = make_linear(model_dim, H * (K if columns else 1), True)
        self.output = make_linear(H * V, model_dim, False)
        self.convolution = torch.nn.Parameter(torch.zeros(taps, H * (2 * K + V)))
        self.rate = torch.nn.Parameter(torch.zeros(H))
        self.scale = torch.nn.Parameter(torch.ones(V))

    def forward(
        self, x: torch.Tensor, mask: Mask = None, *, cache: Any = None, **_: Any
    ) -> tuple[torch.Tensor, None]:
        """x (B, T, model_dim), mask (B, 1, 1, S) -> the same shape, None.

        cache: of ``new_cache``; in a graph of TensorFlow use ``step``.
        """
        if isinstance(cache, StateCache):
            return self.read(x, mask, cache), None
        check_supported("GatedDeltaNet", cache=cache)
        check_words(x, self.config["model_dim"], mask)
        if mask is not None:
            mask = to_mask(mask, x)
            x = torch.where(mask[:, 0, 0, :, None], x, 0.0)
        joint = pad(self.joint(x), len(self.convolution) - 1, 0)
        heads, gates = self.heads(x, joint)
        context, _ = delta_rule_attention(*heads, mask=mask, **gates)
        return self.regulated(context, x), None

    def new_state(self, batch: int) -> State:
        """The state of ``step`` before the first position: zeros."""
        check_at_least(1, batch=batch)
        own, (N, width) = self.query.weight, self.convolution.shape
        heads = own.new_zeros(batch, *self.sizes, dtype=wide(own.dtype))
        return State((heads, own.new_zeros(batch, N - 1, width)), 0)

    def step(self, x: torch.Tensor, state: State) -> tuple[torch.Tensor, State]:
        """One position after those of the state: what a call gives there.

        Shapes:
            x (B, 1, model_dim); state of ``new_state``, or of the step before
            -> output (B, 1, model_dim), state.

        Raises:
            ValueError: x is not as above.
        """
        check_words(x, self.config["model_dim"], None)
        memory, last = state.memory
        joint = torch.cat([last, self.joint(x)], dim=1)
        heads, gates = self.heads(x, joint)
        context, memory = delta_rule_step(memory, *heads, **gates)
        state = State((memory, joint[:, 1:]), state.length + 1)
        return self.regulated(context, x), state

    def kept(self, memory, before, seen):
        """What is blocked leaves the heads as they are; the convolution gets zeros."""
        heads = super().kept(memory[0], before[0], seen)
        past, now = memory[1][:, :-1], memory[1][:, -1:]
        now = torch.where(seen.reshape(-1, 1, 1), now, 0.0)
        return heads, torch.cat([past, now], dim=1)

    def joint(self, x):
        """What goes into the convolution: (B, S, H (2 K + V))."""
        return torch.cat([self.query(x), self.key(x), self.value(x)], dim=-1)

    def heads(self, x, joint):
        """Queries, keys and values; beta and decay. joint: N - 1 positions more."""
        H, K, V = self.sizes
        joint = torch.nn.functional.silu(convolved(joint, self.convolution))
        parts = joint.split([H * K, H * K, H * V], dim=-1)
        query, key, value = (split(part, H) for part in parts)
        fall = split(self.decay(x), H)  # (B, H, S, 1 or K)
        fall = torch.nn.functional.softplus(fall)
        decay = (-self.rate.exp()[:, None, None] * fall).exp()
        decay = decay[..., 0] if decay.shape[-1] == 1 else decay
        gates = {"beta": torch.sigmoid(self.beta(x)).mT, "decay": decay}
        return (K**-0.5 * of_length_1(query), of_length_1(key), value), gates

    def regulated(self, context, x):
        """The norm and the gate of what was read, and the output."""
        square = context.square().mean(dim=-1, keepdim=True)
        context = self.scale * context * (square + self.epsilon).rsqrt()
        context = context * self.activation(split(self.gate(x), self.sizes[0]))
        return self.output(merge(context))


def convolved(x, taps):
    """x (B, N - 1 + S, X): of every column N positions times its taps (N, X)."""
    N, S = len(taps), x.shape[1] - len(taps) + 1
    return sum(x[:, n : n + S] * taps[n] for n in range(N))


def of_length_1(x):
    """x at length 1, but for what is nearly 0."""
    return x * (x.square().sum(dim=-1, keepdim=True) + 1e-6).rsqrt()


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
        self.index_query = make_linear(model_dim, G * K, False)
        self.index_key = make_linear(model_dim, K, False)
        self.index_norm = QueryKeyNorm(K, epsilon=epsilon)

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
        return query, torch.cat([groups, small], dim=1), value

    def prepare(self, query, key, **position):
        """Norms and positions, of the small key too."""
        query, groups = super().prepare(query, key[:, :-1], **position)
        small = self.index_norm.key(key[:, -1:])
        _, small = self.rotary(small, small, **position)
        return query, torch.cat([groups, small], dim=1)

    def remember(self, cache, key, value, mask, bias):
        """Of each word one entry: the keys of the groups and the small one, values."""
        G, joint = self.num_kv_heads, (merge(x)[:, None] for x in (key, value))
        key, value, mask, bias = super().remember(cache, *joint, mask, bias)
        return split(key[:, 0], G + 1), split(value[:, 0], G), mask, bias

    def attend(self, query, key, value, mask, *, asks, **options):
        """Choose blocks, then attend to their keys."""
        chosen = best_blocks(*widen(asks, key[:, -1:]), **self.blocks)
        mask = chosen.repeat_interleave(self.num_heads // self.num_kv_heads, dim=1)
        return super().attend(query, key[:, :-1], value, mask, **options)


def best_blocks(query, key, *, block_size, local_blocks, top_k):
    """The formula: which keys stand in chosen blocks, (B, G, T, S)."""
    T, S = query.shape[2], key.shape[2]
    place = torch.arange(S, device=query.device)
    own, block = place[S - T :, None], place // block_size
    score = torch.where(place <= own, query @ key.mT, -torch.inf)
    wide = torch.nn.functional.pad(score, (0, -S % block_size), value=-torch.inf)
    best = wide.unflatten(-1, (-1, block_size)).amax(dim=-1)
    before = own // block_size - torch.arange(best.shape[-1], device=query.device)
    forced = (before >= 0) & (before < local_blocks)
    best = torch.where(forced, torch.inf, best)
    return highest(best, top_k, before >= 0)[..., block]


class CompressedAttention(Module):
    """The attention of DeepSeek-V4: a window of words, and an entry a block before it.

    key = value = rms(linear(x)), one for all heads, turned by its position
    entry       = the ``Pool`` of a block of block_size words, turned as its first
    context     = softmax over words and entries, with a sink; turned back by t

    t sees an entry from its last word on: all of them, or, where top_k is given, the
    best by an indexer whose keys are pooled as well. Without a block_size there is the
    window alone. Always causal, without a mask.
    """

    parity_joint = "_"

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
    ) -> None:
        super().__init__()
        H, K, D, Q = num_heads, key_dim, model_dim, query_latent_dim
        self.model_dim, self.num_heads, self.window = D, H, window
        self.epsilon, self.rotary, self.index_heads = epsilon, rotary, index_heads
        self.block_size, self.top_k = block_size, top_k
        self.query_latent = make_linear(D, Q, False)
        self.latent_norm = make_norm("rms", Q, epsilon)
        self.query = make_linear(Q, H * K, False)
        self.key = make_linear(D, K, False)
        self.key_norm = make_norm("rms", K, epsilon)
        self.softmax = SinkSoftmax(H)
        shape = groups, H * K // groups, group_dim
        self.grouped = torch.nn.Parameter(torch.zeros(shape))
        self.output = make_linear(groups * group_dim, D, False)
        if block_size is not None:
            pooled = {"block_size": block_size, "overlap": top_k is not None}
            self.pool = Pool(D, K, epsilon=epsilon, **pooled)
        if top_k is not None:
            self.index_pool = Pool(D, index_dim, epsilon=epsilon, **pooled)
            self.index_query = make_linear(Q, index_heads * index_dim, False)
            self.index_head = make_linear(D, index_heads, False)

    def forward(
        self, x: torch.Tensor, mask: Mask = None, *, cache: Any = None, **_: Any
    ) -> tuple[torch.Tensor, None]:
        """x (B, T, model_dim) -> the same shape, None; cache: of ``new_cache``."""
        check_supported("CompressedAttention", mask=mask)
        check_words(x, self.model_dim, None)
        start = 0 if cache is None else cache.length
        place = start + torch.arange(x.shape[1], device=x.device)
        latent = self.latent_norm(self.query_latent(x))
        query = split(self.query(latent), self.num_heads)
        square = query.square().mean(dim=-1, keepdim=True)
        query = self.turned(query * (square + self.epsilon).rsqrt(), place)
        key = self.turned(self.key_norm(self.key(x))[:, None], place)
        if cache is not None:
            key, _ = cache.words.update(key, key[..., :0])
        end = start + x.shape[1]
        before = place[:, None] - torch.arange(end - key.shape[2], end, device=x.device)
        seen = ((before >= 0) & (before < self.window))[None, None]
        if self.block_size is not None:
            entry, known = self.entries(x, latent, place, start, cache)
            rows = seen.expand(len(known), -1, -1, -1)
            key, seen = torch.cat([key, entry], 2), torch.cat([rows, known], -1)
        context, _ = in_groups(query, key, key, seen, softmax=self.softmax)
        context = merge(self.turned(context, -place))
        parts = context.unflatten(-1, (len(self.grouped), -1))
        parts = torch.einsum("btgi,gir->btgr", parts, self.grouped)
        return self.output(parts.flatten(2)), None

    def entries(self, x, latent, place, start, cache):
        """Of the whole blocks the entries (B, 1, N, K), and which each word sees."""
        m, indexed = self.block_size, self.top_k is not None
        pool = None if cache is None else cache.pool
        entry = self.pool(x, pool)[:, None]
        number = start // m + torch.arange(entry.shape[2], device=x.device)
        entry, small = self.turned(entry, m * number), entry[..., :0]
        if indexed:
            pool = None if cache is None else cache.index_pool
            small = self.turned(self.index_pool(x, pool)[:, None], m * number)
        if cache is not None:
            entry, small = cache.entries.update(entry, small)
        number = torch.arange(entry.shape[2], device=x.device)
        known = number < (place[:, None] + 1) // m
        if not indexed:
            return entry, known.expand(len(x), 1, -1, -1)
        asks = split(self.index_query(latent), self.index_heads)
        asks = self.turned(asks, place), small[:, 0], self.index_head(x)
        return entry, highest(scores_of(*widen(*asks)), self.top_k, known)[:, None]

    def new_cache(self, batch: int, capacity: int) -> CompressedCache:
        """An empty cache of ``capacity`` words; not for ``torch.compile``."""
        like = self.key.weight
        place = {"dtype": like.dtype, "device": like.device}
        K = self.key.out_features
        words = KVCache(batch, 1, None, K, 0, window=self.window, **place)
        if self.block_size is None:
            return CompressedCache(words)
        pool, J, own = self.pool.new_cache(batch, **place), 0, None
        if self.top_k is not None:
            own = self.index_pool.new_cache(batch, **place)
            J = self.index_query.out_features // self.index_heads
        slots = max(1, capacity // self.block_size)
        entries = KVCache(batch, 1, slots, K, J, **place)
        return CompressedCache(words, entries, pool, own)

    def turned(self, x, place):
        """The last columns turned by their positions."""
        start = x.shape[-1] - self.rotary.key_dim
        end = turned(
            x[..., start:], self.rotary.waves(place, x.dtype), self.rotary.layout
        )
        return torch.cat([x[..., :start], end], dim=-1)


class Pool(Module):
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
    ) -> None:
        super().__init__()
        self.overlap, own = overlap, width * (2 if overlap else 1)
        self.part = make_linear(model_dim, own, False)
        self.gate = make_linear(model_dim, own, False)
        self.bias = torch.nn.Parameter(torch.zeros(block_size, own))
        self.norm = make_norm("rms", width, epsilon)

    def forward(self, x: torch.Tensor, cache: KVCache | None = None) -> torch.Tensor:
        """x (B, T, model_dim) -> (B, T // block_size, width).

        cache: of ``new_cache``; the entries of the blocks that x makes whole.
        """
        size, done = len(self.bias), 0
        part, gate = self.part(x), self.gate(x)
        if cache is not None:
            whole = cache.length // size
            done = min(int(self.overlap), whole)  # blocks, read again
            kept = cache.update(part[:, None], gate[:, None])
            first = cache.length - kept[0].shape[2]
            part, gate = (x[:, 0, (whole - done) * size - first :] for x in kept)
        end = part.shape[1] // size * size
        part, gate = (x[:, :end].unflatten(1, (-1, size)) for x in (part, gate))
        gate = gate + self.bias
        if self.overlap:
            low = -torch.inf
            part, gate = with_block_before(part, 0.0), with_block_before(gate, low)
        return self.norm((gate.softmax(dim=2) * part).sum(dim=2)[:, done:])

    def new_cache(self, batch: int, **place: Any) -> KVCache:
        """An empty one for the parts and gates of a block, and of the one before."""
        size, own = self.bias.shape
        window = 2 * size if self.overlap else size
        return KVCache(batch, 1, None, own, window=window, **place)


def with_block_before(x, first):
    """x (B, N, m, 2 W): the first half of the block before, and a block's second."""
    before, own = x.chunk(2, dim=-1)
    start = torch.full_like(before[:, :1], first)
    return torch.cat([torch.cat([start, before[:, :-1]], dim=1), own], dim=2)


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


def from_huggingface(module: torch.nn.Module) -> torch.nn.Module:
    """One of our layers with the weights of a layer of ``transformers``.

    See ``attn_course.models.huggingface`` for the models, and how each is called.

    Raises:
        ValueError: the module is of another class, or has what ours has not.
    """
    recipe = read_huggingface(module)
    parts = {name: KINDS[kind](**own) for name, (kind, own) in recipe.parts.items()}
    layer = KINDS[recipe.kind](**recipe.options, **parts)
    if recipe.layer is not None:
        layer = EncoderLayer(**recipe.layer, attention=layer)
    like = next(iter(module.state_dict().values()))
    layer = layer.to(device=like.device, dtype=like.dtype)
    set_parameters(layer, recipe.parameters)
    return layer.train(module.training)
