"""The encoder, and the decoder with one fixed context, in TensorFlow.

Formulas: ``reference.py``.
"""

from typing import Any

from attn_course.core.chunked.tf import by_turns
from attn_course.core.frameworks import keras, tf
from attn_course.core.layer.shared import check_pad
from attn_course.core.layer.tf import (
    Layer,
    Pair,
    PairLayer,
    PairOrNone,
    Tensor,
    WholeModel,
    add_padding,
    dense,
    stacked,
)
from attn_course.core.masks.tf import Mask
from attn_course.core.shapes import check_at_least
from attn_course.mechanisms.recurrent.shared import (
    DECODER_SIZES,
    check_decoder,
    check_halves,
    check_source,
    whole_sizes,
)

__all__ = ["EncoderDecoder", "FixedContextDecoder", "RecurrentEncoder"]


def embedding_table(layer: Layer, rows: int, width: int) -> keras.layers.Layer:
    """An embedding that begins as PyTorch's, with a variance of 1."""
    normal = keras.initializers.RandomNormal(stddev=1.0)
    table = keras.layers.Embedding(rows, width, normal, dtype=layer.dtype_policy)
    table.build((None, None))
    return table


def orthogonal(shape, dtype=None):
    """How Keras begins recurrent weights; its QR decomposition needs float32."""
    return tf.cast(keras.initializers.Orthogonal()(shape, "float32"), dtype)


@keras.saving.register_keras_serializable("attn_course")
class RecurrentEncoder(PairLayer):
    """Read a sentence in both directions: ``attn_course.reference.recurrent_encoder``.

    Raises:
        ValueError: a size is not a whole number of at least 1.
    """

    def __init__(
        self, vocab_size: int, embedding_dim: int, hidden_dim: int, **options: Any
    ) -> None:
        super().__init__(**options)
        sizes = {"vocab_size": vocab_size, "embedding_dim": embedding_dim}
        self.config = whole_sizes(**sizes, hidden_dim=hidden_dim)
        gru = {"return_sequences": True, "recurrent_initializer": orthogonal}
        gru["dtype"] = self.dtype_policy
        self.embedding = embedding_table(self, vocab_size, embedding_dim)
        self.forward_gru = keras.layers.GRU(hidden_dim, **gru)
        self.backward_gru = keras.layers.GRU(hidden_dim, **gru)
        self.forward_gru.build((None, None, embedding_dim))
        self.backward_gru.build((None, None, embedding_dim))
        self.built = True

    def call(self, tokens: Tensor, mask: Mask = None) -> Pair:
        """Read the tokens; a position where the mask is False is skipped.

        Shapes:
            tokens (B, S), mask (B, S)
            -> memory (B, S, 2 * hidden_dim), last state (B, 2 * hidden_dim).

        Raises:
            ValueError: tokens are not integers (B, S), or the mask does not fit.
        """
        check_source(tokens, mask)
        mask = add_padding(mask, tokens)
        if mask is None:
            mask = tf.ones_like(tokens, dtype=tf.bool)
        embedded = self.embedding(tokens)
        position = tf.range(tf.shape(mask)[1])
        left, left_last = self._read(self.forward_gru, embedded, mask, position)
        right, right_last = self._read(self.backward_gru, embedded, mask, -position)
        memory = tf.concat([left, right], axis=-1)
        memory *= tf.cast(mask, memory.dtype)[..., None]
        return memory, tf.concat([left_last, right_last], axis=-1)

    def _read(self, gru, embedded, mask, rank):
        """Read the tokens by rising rank, leaving gaps out; return states and last."""
        count = tf.reduce_sum(tf.cast(mask, tf.int32), axis=1, keepdims=True)
        order = tf.argsort(tf.where(mask, rank, tf.shape(mask)[1]), axis=1)
        states = gru(_take(embedded, order))
        last = _take(states, tf.maximum(count - 1, 0))[:, 0]
        last *= tf.cast(count > 0, last.dtype)
        return _take(states, tf.argsort(order, axis=1)), last

    def compute_output_shape(self, tokens_shape, **shapes):
        width = 2 * self.config["hidden_dim"]
        return (*tokens_shape, width), (tokens_shape[0], width)


class RecurrentDecoder(PairLayer):
    """What recurrent decoders share; they differ in ``prepare`` and ``advance``.

    fed: how many numbers the cell is given beside the embedding.
    """

    def __init__(self, sizes, cell, fed, start_dim, **options):
        super().__init__(**options)
        self.config = whole_sizes(**dict(zip(DECODER_SIZES, sizes, strict=True)))
        N, M, H, _ = sizes
        gru = {"recurrent_initializer": orthogonal, "dtype": self.dtype_policy}
        self.embedding = embedding_table(self, N, M)
        self.cell = cell(H, **gru)
        self.cell.build((None, None, M + fed))
        self.bridge = dense(self, "bridge", start_dim, H, True)
        self.built = True

    def start(self, last_state):
        """The first state, from the encoder's last: (B, E) -> (B, H)."""
        return tf.tanh(self.bridge(last_state))

    def begin(self, state):
        """A first state in the form that every step gives."""
        return state

    def step(self, token, state, memory, mask=None, *, prepared=None):
        """One output; prepared is what ``prepare(memory, mask)`` gave, or None.

        Shapes:
            token (B), state (B, H) or what the step before gave, memory (B, S, E),
            mask (B, S) -> logits (B, N), state, weights (B, S) or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        hidden = getattr(state, "hidden", state)
        mask = self.check(mask, token=token, memory=memory, state=hidden)
        prepared = self.prepare(memory, mask) if prepared is None else prepared
        given = memory, prepared, mask
        state, seen, weights = self.advance(self.embedding(token), state, *given)
        return self.read_out(seen), state, weights

    def call(
        self, targets: Tensor, memory: Tensor, initial_state: Tensor, mask: Mask = None
    ) -> PairOrNone:
        """Teacher forcing: the output after each of the targets.

        Shapes:
            targets (B, T), memory (B, S, E), initial_state (B, H), mask (B, S)
            -> logits (B, T, N), weights (B, T, S) or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        state = {"initial_state": initial_state}
        mask = self.check(mask, targets=targets, memory=memory, **state)
        given = memory, self.prepare(memory, mask), mask
        seen, weights = self.run(self.embedding(targets), initial_state, *given)
        return self.read_out(seen), weights

    def run(self, embedded, state, *given):
        """All steps: what the readout sees (B, T, ...), and the weights or None.

        One step is traced, whatever the length, which a graph need not know.
        """

        def step(carried, x):
            state, seen, weights = self.advance(x, carried[0], *given)
            return (state, seen) if weights is None else (state, seen, weights)

        swap = keras.ops.swapaxes  # a scan has the steps in front
        state = self.begin(state)
        _, *like = step((state,), embedded[:, 0])  # how wide its results are
        found = tf.scan(step, swap(embedded, 0, 1), (state, *like))[1:]
        return (*(swap(each, 0, 1) for each in found), None)[:2]

    def check(self, mask, **arguments):
        """Raise ValueError unless all fit the decoder, tokens first; the mask."""
        check_decoder(self.config, mask, **arguments)
        return add_padding(mask, arguments["memory"])

    def compute_output_shape(self, targets_shape, memory_shape, **shapes):
        logits = (*targets_shape, self.config["vocab_size"])
        return logits, (*targets_shape, memory_shape[1])


class ContextDecoder(RecurrentDecoder):
    """A decoder that has its context before it steps; they differ in ``attend``.

    options: name and dtype.

    Raises:
        ValueError: a size is not a whole number of at least 1, or memory_dim is odd.
    """

    start_share = 1  # the first state is made from this part of the encoder's last

    def __init__(
        self,
        vocab_size: int,
        embedding_dim: int,
        hidden_dim: int,
        *,
        memory_dim: int,
        **options: Any,
    ) -> None:
        check_halves(memory_dim)
        N, M, H, E = sizes = vocab_size, embedding_dim, hidden_dim, memory_dim
        widths = E, E // self.start_share
        super().__init__(sizes, keras.layers.GRUCell, *widths, **options)
        self.readout = dense(self, "readout", H + M + E, 2 * H, True)
        self.output_layer = dense(self, "output_layer", H, N, True)

    def advance(self, embedded, state, *given):
        """One step: the new state, what the readout sees, and the weights or None."""
        context, weights = self.attend(state, *given)
        state, _ = self.cell(tf.concat([embedded, context], axis=-1), [state])
        return state, tf.concat([state, embedded, context], axis=-1), weights

    def read_out(self, seen):
        """The logits: a layer that takes the larger of each two neighbors, a map."""
        return self.output_layer(tf.maximum(*by_turns(self.readout(seen))))


@keras.saving.register_keras_serializable("attn_course")
class FixedContextDecoder(ContextDecoder):
    """Sees one fixed vector: ``attn_course.reference.fixed_context_decoder``.

    Raises:
        ValueError: a size is not a whole number of at least 1, or memory_dim is odd.
    """

    def prepare(self, memory, mask=None):
        """The encoder's last states, out of the memory: (B, S, E) -> (B, E)."""
        if mask is None:
            mask = tf.ones(tf.shape(memory)[:2], dtype=tf.bool)
        first = _first(mask)
        last = tf.shape(mask)[1] - 1 - _first(mask[:, ::-1])
        left, right = tf.split(memory, 2, axis=-1)
        found = tf.concat([_take(left, last)[:, 0], _take(right, first)[:, 0]], axis=-1)
        seen = tf.reduce_any(mask, axis=1, keepdims=True)
        return tf.where(seen, found, tf.zeros((), found.dtype))

    def attend(self, state, memory, prepared, mask):
        """The same context whatever the state: (B, E), and no weights."""
        return prepared, None

    def compute_output_shape(self, targets_shape, memory_shape, **shapes):
        return super().compute_output_shape(targets_shape, memory_shape)[0], None


@keras.saving.register_keras_serializable("attn_course")
class EncoderDecoder(WholeModel):
    """An encoder and a decoder as one model.

    pad: the token of the source that is padding: nobody looks at it. None: there is
        none, and what is padding stands in ``source_mask``.

    Raises:
        ValueError: pad is no token.
    """

    nested = ("encoder", "decoder")

    def __init__(
        self,
        encoder: keras.layers.Layer,
        decoder: keras.layers.Layer,
        *,
        pad: int | None = 0,
        **options: Any,
    ) -> None:
        super().__init__(**options)
        known = getattr(encoder, "config", {})
        self.config = check_pad(pad, known.get("vocab_size"))
        self.encoder = encoder
        self.decoder = decoder
        self.built = True

    def call(
        self,
        source: Tensor,
        target_in: Tensor,
        source_mask: Mask = None,
        *,
        training: bool | None = None,
    ) -> PairOrNone:
        """Teacher forcing: the output after each token of target_in.

        Shapes:
            source (B, S), target_in (B, T), source_mask (B, S)
            -> logits (B, T, N), weights (B, T, S) or None.

        Raises:
            ValueError: a shape, dtype or mask is not as above.
        """
        source_mask = self.readable(source, source_mask)
        memory, last_state = self.encoder(source, source_mask)
        state = self.decoder.start(last_state)
        return self.decoder(target_in, memory, state, source_mask)

    def readable(self, source: Tensor, source_mask: Mask = None) -> Tensor | None:
        """What of a source may be read, (B, S): what the mask allows but padding."""
        check_source(source, source_mask)
        mask = add_padding(source_mask, source)
        if self.config["pad"] is None:
            return mask
        words = tf.not_equal(source, self.config["pad"])
        return words if mask is None else words & mask

    def encode(
        self, source: Tensor, source_mask: Mask = None, *, need_weights: bool = True
    ) -> tuple[tuple, None]:
        """Read the source, once: what ``decode`` reads, and no weights.

        That is the memory (B, S, E), what is prepared of it, and the first state.
        """
        mask = self.readable(source, source_mask)
        memory, last_state = self.encoder(source, mask)
        prepared = self.decoder.prepare(memory, mask)
        return (memory, prepared, self.decoder.start(last_state)), None

    def decode(
        self,
        target: Tensor,
        memory: tuple,
        source_mask: Mask = None,
        *,
        need_weights: bool = True,
        cache: tuple | None = None,
    ) -> PairOrNone:
        """The output behind every token of the target, as ``call`` has it.

        With a cache of ``new_cache`` the target is what is new since the last call.
        source_mask: of ``readable``.
        """
        memory, prepared, state = memory
        if cache is None:
            return self.decoder(target, memory, state, source_mask)
        ((own, _),), steps = cache, []
        for token in tf.unstack(target, axis=1):
            inputs = token, own.state, memory, source_mask
            logits, own.state, weights = self.decoder.step(*inputs, prepared=prepared)
            steps.append((logits, weights))
        return stacked(steps)

    def new_cache(self, memory: tuple, capacity: int | None) -> tuple:
        """The state while it writes, however many tokens; it keeps nothing else."""
        return ((RecurrentCache(self.decoder.begin(memory[-1])), None),)

    def greedy(
        self, source: Tensor, source_mask: Mask = None, *, begin: int, max_length: int
    ) -> PairOrNone:
        """Take the likeliest token at every step.

        Shapes:
            returns: tokens (B, max_length), weights (B, max_length, S) or None.
        """
        check_at_least(1, max_length=max_length)
        mask = self.readable(source, source_mask)
        (memory, prepared, state), _ = self.encode(source, mask)
        token = tf.fill(tf.shape(source)[:1], begin)
        steps, step = [], self.decoder.step
        # A graph traces one step, not each: the first, which may build layers, apart.
        later = step if tf.executing_eagerly() else tf.function(step)
        for _ in range(max_length):
            inputs = token, state, memory, mask
            logits, state, weights = step(*inputs, prepared=prepared)
            token = tf.argmax(logits, axis=-1, output_type=tf.int32)
            steps.append((token, weights))
            step = later
        return stacked(steps)

    def compute_output_shape(self, source_shape, target_in_shape, **shapes):
        memory_shape, _ = self.encoder.compute_output_shape(source_shape)
        return self.decoder.compute_output_shape(target_in_shape, memory_shape)


class RecurrentCache(tf.Module):
    """The state of a recurrent decoder while it writes, for each row of a batch.

    In variables, as a ``KVCache`` is: a step is traced once.
    """

    def __init__(self, state: Any) -> None:
        super().__init__()
        self.kept = tf.nest.map_structure(tf.Variable, state)

    @property
    def state(self) -> Any:
        return tf.nest.map_structure(tf.convert_to_tensor, self.kept)

    @state.setter
    def state(self, new: Any) -> None:
        for kept, x in zip(
            tf.nest.flatten(self.kept), tf.nest.flatten(new), strict=True
        ):
            kept.assign(x)

    def take(self, rows: Tensor) -> None:
        """Go on with these rows (B) of the batch, each for the one in its place."""
        for kept in tf.nest.flatten(self.kept):
            if kept.shape.rank:  # a step's number is that of all rows
                kept.assign(tf.gather(kept, rows))


def _first(mask):
    """The first True of every row: (B, S) -> (B, 1)."""
    return tf.argmax(tf.cast(mask, tf.int32), axis=1, output_type=tf.int32)[:, None]


def _take(x, index):
    """x[b, index[b, t]] for every b and t: (B, S, X), (B, T) -> (B, T, X)."""
    return tf.gather(x, index, axis=1, batch_dims=1)
