"""Exercises of the project after chapter 3: the parts of a translator of dates.

Each part is a function that the reader's framework can train: its gradients are checked
beside its values. `PARTS` names them in the order in which the project builds them.
"""

import numpy as np

from attn_course.exercises.exercise import (
    OVERFLOW,
    Case,
    Exercise,
    fixed_cases,
    softmax,
)
from attn_course.exercises.project_texts import ANSWERS, STARTERS
from attn_course.exercises.run import into, to_numpy


def _lengths_mask(rng, B, S):
    return np.arange(S) < rng.integers(1, S + 1, (B, 1))


def _pad_cases(rng):
    letters = np.array(list("abcdefghij 0123456789"))

    def draw(*lengths):
        alphabet = rng.permutation(letters)[: int(rng.integers(9, 15))]
        texts = tuple("".join(rng.choice(alphabet, n)) for n in lengths)
        return texts, "".join(alphabet)

    def named(name, *lengths):
        return Case(name, draw(*lengths))

    texts, characters = draw(5, 7, 3)
    return [
        named("texts of different lengths", *rng.permutation([2, 3, 5, 7, 11])),
        named("texts of one length", 5, 5, 5),
        named("one text", 7),
        named("texts of one character", 1, 1),
        named("an empty text", 3, 0, 5),
        Case("an unknown character", (("#" + texts[0], *texts[1:]), characters)),
    ]


def pad(texts, characters):
    place = {each: number for number, each in enumerate(characters, start=4)}
    tokens = np.zeros((len(texts), max(len(text) for text in texts)), int)
    for row, text in zip(tokens, texts, strict=True):
        row[: len(text)] = [place.get(each, 3) for each in text]
    return tokens, tokens != 0


def _annotate_cases(rng):
    def draw(B, S, M, E, W=5):
        weight, bias = rng.normal(size=(W, M, E)) / np.sqrt(W * M), rng.normal(size=E)
        return rng.normal(size=(B, S, M)), _lengths_mask(rng, B, S), weight, bias

    def full(x, mask, weight, bias):
        return x, np.ones_like(mask), weight, bias

    cases = fixed_cases(rng, draw, 4, long=(), full=full)
    cases.append(Case("length 100", draw(2, 100, 3, 5)))
    cases.append(Case("no neighbors", draw(3, 5, 2, 7, W=1)))
    return [*cases, Case("more neighbors than positions", draw(2, 3, 5, 7, W=9))]


def annotate(x, mask, weight, bias):
    W, S = len(weight), x.shape[1]
    side = (W - 1) // 2
    x = np.pad(x * mask[:, :, None], ((0, 0), (side, side), (0, 0)))
    total = sum(x[:, i : i + S] @ weight[i] for i in range(W))
    return np.tanh(total + bias)


def _score_cases(rng):
    def draw(B, S, D, E, A):
        sizes = (B, D), (B, S, E), (D, A), (E, A), (A,)
        return tuple(rng.normal(size=size) for size in sizes)

    return fixed_cases(rng, draw, 5, long=(1,))


def score(query, memory, W, U, v):
    asked = (query @ W)[:, None]
    return np.tanh(asked + memory @ U) @ v


def _weights_cases(rng):
    def draw(B, S):
        return rng.normal(size=(B, S)), rng.random((B, S)) < 0.6

    def large(score, mask):
        return score + 800 * (-1.0) ** np.arange(len(score))[:, None], mask

    def low(score, mask):
        return np.where(mask, score - 12000, score), mask

    def empty(score, mask):
        mask[0] = False
        return score, mask

    def full(score, mask):
        return score, np.ones_like(mask)

    more = {"large": large, "low": low, "empty": empty, "full": full}
    return fixed_cases(rng, draw, 2, long=(1,), **more)


def weights(score, mask):
    low = np.finfo(score.dtype).min
    return softmax(np.where(mask, score, low)) * mask


def _context_cases(rng):
    def draw(B, S, E):
        return softmax(rng.normal(size=(B, S))), rng.normal(size=(B, S, E))

    def empty(weights, memory):
        weights[0] = 0
        return weights, memory

    return fixed_cases(rng, draw, 3, long=(1,), empty=empty)


def context(weights, memory):
    return (weights[:, None] @ memory)[:, 0]


def _step_cases(rng):
    def draw(B, S, E, H, N):
        M, A = (int(size) for size in rng.integers(2, 6, 2))
        sizes = {
            "query_weight": (H, A),
            "memory_weight": (E, A),
            "score_weight": (A,),
            "target": (N, M),
            "state_weight": (M + E + H, H),
            "state_bias": (H,),
            "output_weight": (H + E, N),
            "output_bias": (N,),
        }
        p = {name: rng.normal(size=n) / np.sqrt(n[0]) for name, n in sizes.items()}
        state, memory = rng.normal(size=(B, H)), rng.normal(size=(B, S, E))
        return rng.integers(0, N, B), state, memory, _lengths_mask(rng, B, S), p

    def full(token, state, memory, mask, p):
        return token, state, memory, np.ones_like(mask), p

    return fixed_cases(rng, draw, 5, long=(1,), full=full)


def step(token, state, memory, mask, p):
    asked = (state @ p["query_weight"])[:, None]
    score = np.tanh(asked + memory @ p["memory_weight"]) @ p["score_weight"]
    weights = softmax(np.where(mask, score, -np.inf))
    context = (weights[:, None] @ memory)[:, 0]
    seen = np.concatenate([p["target"][token], context, state], axis=1)
    state = np.tanh(seen @ p["state_weight"] + p["state_bias"])
    seen = np.concatenate([state, context], axis=1)
    return seen @ p["output_weight"] + p["output_bias"], state


def _loss_cases(rng):
    def draw(B, T, N):
        target = rng.integers(1, max(N, 2), (B, T)) * _lengths_mask(rng, B, T)
        return rng.normal(size=(B, T, max(N, 2))), target

    def large(logits, target):
        return 800 * np.sign(logits) + logits, target

    def full(logits, target):
        return logits, np.maximum(target, 1)

    return fixed_cases(rng, draw, 3, long=(1,), large=large, full=full)


def loss(logits, target):
    logits = logits - logits.max(axis=2, keepdims=True)
    log_chance = logits - np.log(np.exp(logits).sum(axis=2, keepdims=True))
    right = np.take_along_axis(log_chance, target[:, :, None], axis=2)[:, :, 0]
    return -right[target != 0].mean()


class Table:
    """A decoder's step that looks its logits up: state, whole numbers, counts steps."""

    def __init__(self, logits):
        self.logits = logits  # (steps, tokens, tokens)

    def __call__(self, token, state):
        tokens, steps = to_numpy(token), to_numpy(state)
        if tokens.shape != steps.shape:
            raise ValueError(f"token has the shape {tokens.shape}, not {steps.shape}")
        library = type(token).__module__.partition(".")[0]
        framework = {"torch": "torch", "tensorflow": "tf"}.get(library, "numpy")
        return into(framework, self.logits[steps, tokens]), state + 1


def _greedy_cases(rng):
    def draw(B, T, N):
        N, start = max(N, 5), rng.integers(0, 3, B)
        begin, end = (int(token) for token in rng.permutation(np.arange(1, N))[:2])
        return Table(rng.normal(size=(T + 3, N, N))), start, begin, end, T

    def never(model, state, begin, end, T):
        model.logits[:, :, end] = -99
        return model, state, begin, end, T

    def at_once(model, state, begin, end, T):
        model.logits[:, begin, end] = 99
        return model, state, begin, end, T

    cases = fixed_cases(rng, draw, 3, long=(1,), full=never)
    cases[-1] = cases[-1]._replace(name="the end never comes")
    return [*cases, Case("the end comes at once", at_once(*draw(3, 5, 7)))]


def greedy(step, state, begin, end, length):
    token = np.full(len(state), begin)
    ended, written = np.zeros(len(state), bool), []
    for _ in range(length):
        logits, state = step(token, state)
        token = np.where(ended, 0, logits.argmax(axis=1))
        written.append(token)
        ended = ended | (token == end)
    return np.stack(written, axis=1)


def _part(name, solution, **rest):
    """The entry of a part, with its texts in the frameworks."""
    return Exercise(
        name=f"project.{name}",
        solution=solution,
        kind="part" if name in ANSWERS else "write",
        starters=STARTERS[name],
        answers=ANSWERS.get(name, {}),
        **rest,
    )


EXERCISES = (
    _part(
        "pad",
        pad,
        level=1,
        minutes=10,
        before="01.padding_mask",
        statement=(
            "Write `pad(texts, characters)`: a batch of texts as numbers. The token of "
            "a character is its place in `characters`, counted from 4; one that is not "
            "there is 3. Texts are filled up with 0 to the longest. Returns tokens "
            "(B, S), whole numbers, and mask (B, S) bool, True where a character is."
        ),
        cases=_pad_cases,
        mistakes={
            "the numbers begin at 4: 0 to 3 are padding, begin, end, unknown": (
                ", start=4",
                "",
            ),
            "the numbers begin at 4, not at 1": ("start=4", "start=1"),
            "the numbers begin at 4, not at 3, which is an unknown character": (
                "start=4",
                "start=3",
            ),
            "the mask is inverted: True is a character": ("!= 0", "== 0"),
            "an unknown character is 3, not 0, which is padding": (
                "each, 3)",
                "each, 0)",
            ),
            "an unknown character is masked too; it is there, only padding isn't": (
                "tokens != 0",
                "tokens > 3",
            ),
            "padding stands at the end, not at the beginning": (
                "row[: len(text)]",
                "row[len(row) - len(text) :]",
            ),
            "a position is always left free at the end": (
                "for text in texts))",
                "for text in texts) + 1)",
            ),
            "the texts are read backwards": (
                "for each in text]",
                "for each in text[::-1]]",
            ),
        },
        hints=(
            "Two steps: a dictionary from characters to numbers, and an array of zeros "
            "that is as wide as the longest text.",
            "Fill the first len(text) places of each row; what stays 0 is padding, so "
            "the mask can be read off the tokens.",
            "place = {each: n for n, each in enumerate(characters, start=4)}; "
            "row[: len(text)] = [place.get(each, 3) for each in text]; the mask is "
            "tokens != 0.",
        ),
    ),
    _part(
        "annotate",
        annotate,
        level=2,
        minutes=15,
        before="project.pad, matrix products",
        statement=(
            "Write `annotate(x, mask, weight, bias)`: what a position knows of "
            "itself and its neighbors. x (B, S, M), the characters' vectors; mask "
            "(B, S) bool; weight (W, M, E), W odd; bias (E). Output (B, S, E): tanh of "
            "the bias plus the sum over i of the vector at position "
            "s + i - (W - 1) / 2 times weight[i]. Padding and what lies outside count "
            "as zeros."
        ),
        cases=_annotate_cases,
        mistakes={
            "padding counts: multiply x with the mask first": (
                "x * mask[:, :, None]",
                "x",
            ),
            "the neighbors are mirrored: weight[0] belongs to the leftmost": (
                "weight[i]",
                "weight[W - 1 - i]",
            ),
            "the window ends at the position; it stands around it": (
                "(side, side)",
                "(W - 1, 0)",
            ),
            "the window begins at the position; it stands around it": (
                "(side, side)",
                "(0, W - 1)",
            ),
            "there is no tanh": ("np.tanh(total + bias)", "total + bias"),
            "the bias is missing": ("total + bias", "total"),
            "the bias stands outside the tanh": (
                "np.tanh(total + bias)",
                "np.tanh(total) + bias",
            ),
            "only the position itself is read": (
                "for i in range(W)",
                "for i in [side]",
            ),
            "all neighbors get the same weight": ("weight[i]", "weight[side]"),
            "the last neighbor is left out": ("range(W)", "range(W - 1)"),
            "the sum is divided by W; here it is not": (
                "total + bias",
                "total / W + bias",
            ),
            "the mask is inverted: True is a character": ("mask[:", "~mask[:"),
        },
        hints=(
            "A window slides over the sentence. Instead of a loop over positions, "
            "shift the whole sentence W times and add.",
            "Set padding to zero, put (W - 1) // 2 zeros at both ends, and add "
            "x[:, i : i + S] @ weight[i] for every i.",
            "total = sum(x[:, i : i + S] @ weight[i] for i in range(W)); the answer is "
            "tanh(total + bias).",
        ),
    ),
    _part(
        "score",
        score,
        level=1,
        minutes=5,
        before="02.additive_score",
        statement=(
            "Write `score(query, memory, W, U, v)`, the additive score for one step of "
            "the decoder: query (B, D), memory (B, S, E), W (D, A), U (E, A), v (A); "
            "output (B, S)."
        ),
        cases=_score_cases,
        mistakes={
            "there is no tanh": (
                "np.tanh(asked + memory @ U)",
                "(asked + memory @ U)",
            ),
            "the tanh stands outside the product with v": (
                "np.tanh(asked + memory @ U) @ v",
                "np.tanh((asked + memory @ U) @ v)",
            ),
            "W and U are exchanged": (
                lambda query, memory, W, U, v: (
                    np.tanh((query @ U)[:, None] + memory @ W) @ v
                )
            ),
            "the hidden layer is summed without v": (" @ v", ".sum(axis=-1)"),
            "each part has a tanh of its own; the sum should have one": (
                "np.tanh(asked + memory @ U)",
                "(np.tanh(asked) + np.tanh(memory @ U))",
            ),
            "query and memory are multiplied; they should be added": (
                "asked + memory",
                "asked * memory",
            ),
            "the memory is subtracted; it should be added": (
                "asked + memory",
                "asked - memory",
            ),
            "the score is divided by the root of A; additive scores are not": (
                " @ v",
                " @ v / np.sqrt(len(v))",
            ),
            "these are the weights; the softmax comes in the next part": (
                "return np.tanh(asked + memory @ U) @ v",
                "return softmax(np.tanh(asked + memory @ U) @ v)",
            ),
            "every sentence is asked the first one's query": (
                "(query @ W)[:, None]",
                "(query @ W)[:1, None]",
            ),
            "a ReLU stands in place of the tanh": (
                "np.tanh(asked + memory @ U)",
                "np.maximum(asked + memory @ U, 0)",
            ),
        },
        hints=(
            "One hidden vector of width A per position, then one number per position.",
            "query @ W is (B, A) and memory @ U is (B, S, A): the first needs an axis "
            "for the positions.",
            "tanh((query @ W)[:, None] + memory @ U), then the product with v.",
        ),
    ),
    _part(
        "weights",
        weights,
        level=2,
        minutes=10,
        before="02.masked_weights",
        statement=(
            "Write `weights(score, mask)`: a softmax over the positions that are "
            "there. score (B, S), mask (B, S) bool, True may attend; output (B, S). "
            "Scores may be of any size and sign. A row that may attend to nothing "
            "gives zeros, and its gradients are zeros too, never NaN."
        ),
        cases=_weights_cases,
        mistakes=OVERFLOW
        | {
            "the mask is not used": (
                "softmax(np.where(mask, score, low)) * mask",
                "softmax(score)",
            ),
            "the mask comes after the softmax alone: rows no longer sum to 1": (
                "np.where(mask, score, low)",
                "score",
            ),
            "the mask is inverted: True may attend": (
                "np.where(mask, score, low)) * mask",
                "np.where(mask, low, score)) * ~mask",
            ),
            "a row that may attend to nothing averages all; it should be zeros": (
                " * mask",
                "",
            ),
            "blocked scores are set to 0, which is a score like any other": (
                "np.where(mask, score, low)",
                "score * mask",
            ),
            "-1e4 is no low score: an allowed one may be lower": (
                "score, low)",
                "score, -1e4)",
            ),
            "-50 is no low score: an allowed one may be lower": (
                "score, low)",
                "score, -50)",
            ),
            "the softmax runs over the batch, not over the positions": (
                "score, low))",
                "score, low), axis=0)",
            ),
            "a row that may attend to nothing is NaN; it should be zeros": (
                "return softmax(np.where(mask, score, low)) * mask",
                "return softmax(np.where(mask, score, -np.inf))",
            ),
        },
        hints=(
            "Blocked positions have to lose before the softmax; a row without any "
            "allowed one has to become zeros after it.",
            "Fill blocked scores with the lowest finite number of the dtype, not with "
            "-inf: the difference of two infinities is NaN.",
            "softmax(score, with the lowest number where the mask is False), times the "
            "mask.",
        ),
    ),
    _part(
        "context",
        context,
        level=1,
        minutes=5,
        before="00.average",
        statement=(
            "Write `context(weights, memory)`: the weighted average of the "
            "annotations, weights (B, S), memory (B, S, E); output (B, E). A row of "
            "zeros gives zeros."
        ),
        cases=_context_cases,
        mistakes={
            "it is the mean of the weighted annotations; their sum is the average": (
                "(weights[:, None] @ memory)[:, 0]",
                "(weights[:, :, None] * memory).mean(axis=1)",
            ),
            "it sums over the width, not over the positions": (
                "(weights[:, None] @ memory)[:, 0]",
                "(weights[:, :, None] * memory).sum(axis=2)",
            ),
            "the weights are not used: every position counts the same": (
                "(weights[:, None] @ memory)[:, 0]",
                "memory.mean(axis=1)",
            ),
            "the weights are not used: the annotations are added": (
                "(weights[:, None] @ memory)[:, 0]",
                "memory.sum(axis=1)",
            ),
            "it takes the best position's annotation alone": (
                "(weights[:, None] @ memory)[:, 0]",
                "memory[np.arange(len(memory)), weights.argmax(axis=1)]",
            ),
            "the weights pass a softmax again": ("(weights[", "(softmax(weights)["),
            "an axis of size 1 is left over: the output is (B, E)": (
                "(weights[:, None] @ memory)[:, 0]",
                "weights[:, None] @ memory",
            ),
            "every sentence gets the first one's weights": (
                "weights[:, None]",
                "weights[:1, None]",
            ),
            "every sentence gets the first one's annotations": (
                "@ memory)",
                "@ memory[:1])",
            ),
        },
        hints=(
            "One number per position times one vector per position, added up.",
            "weights[:, None] is (B, 1, S), memory (B, S, E): a matrix product does "
            "the rest.",
            "(weights[:, None] @ memory)[:, 0]",
        ),
    ),
    _part(
        "step",
        step,
        level=3,
        minutes=20,
        before="02.step, project.score, project.weights, project.context",
        statement=(
            "Write `step(token, state, memory, mask, p)`, one step of the decoder. "
            "token (B), whole numbers; state (B, H); memory (B, S, E); mask (B, S); p, "
            "a dictionary of parameters. The state before the step asks (query_weight, "
            "memory_weight, score_weight). The new state is tanh of [the token's row "
            "of target, context, state] @ state_weight + state_bias. Returns the "
            "logits, [new state, context] @ output_weight + output_bias, (B, N), and "
            "the new state (B, H)."
        ),
        cases=_step_cases,
        mistakes={
            "it returns the state before the step, not the new one": (
                '    state = np.tanh(seen @ p["state_weight"] + p["state_bias"])\n'
                "    seen = np.concatenate([state,",
                '    new = np.tanh(seen @ p["state_weight"] + p["state_bias"])\n'
                "    seen = np.concatenate([new,",
            ),
            "the mask is not used": ("np.where(mask, score, -np.inf)", "score"),
            "the new state has no tanh": (
                'state = np.tanh(seen @ p["state_weight"] + p["state_bias"])',
                'state = seen @ p["state_weight"] + p["state_bias"]',
            ),
            "the score has no tanh": ("np.tanh(asked", "(asked"),
            "the state's bias is missing": (' + p["state_bias"]', ""),
            "the output's bias is missing": (' + p["output_bias"]', ""),
            "the logits come first, then the state: they are exchanged": (
                'return seen @ p["output_weight"] + p["output_bias"], state',
                'return state, seen @ p["output_weight"] + p["output_bias"]',
            ),
            "these are chances; logits come before the softmax": (
                'return seen @ p["output_weight"] + p["output_bias"], state',
                'return softmax(seen @ p["output_weight"] + p["output_bias"]), state',
            ),
            "the weights are not normalized: the softmax is missing": (
                "softmax(np.where(mask, score, -np.inf))",
                "np.where(mask, score, 0)",
            ),
            "every token counts as token 0": ("[token]", "[0 * token]"),
            "the context is the mean of the annotations": (
                "(weights[:, None] @ memory)[:, 0]",
                "memory.mean(axis=1)",
            ),
        },
        hints=(
            "Look back first, then move. Nothing is new here: your three parts give "
            "the context.",
            "Join in the order of the statement: [row of target, context, state] "
            "before the step, [new state, context] after it.",
            "s = score(state, memory, ...); c = context(weights(s, mask), memory); "
            "state = tanh([target[token], c, state] @ state_weight + state_bias); "
            "return [state, c] @ output_weight + output_bias, state.",
        ),
    ),
    _part(
        "loss",
        loss,
        level=2,
        minutes=10,
        before="softmax, logarithms",
        statement=(
            "Write `loss(logits, target)`: the mean of -log p(right token) over the "
            "positions that are no padding. logits (B, T, N), target (B, T), whole "
            "numbers, 0 is padding (at least one isn't); output: one number. Logits "
            "may be as large as several hundred."
        ),
        cases=_loss_cases,
        mistakes={
            "padding counts: leave the positions out where target is 0": (
                "right[target != 0].mean()",
                "right.mean()",
            ),
            "padding adds 0, but is counted: divide by the real positions": (
                "right[target != 0].mean()",
                "(right * (target != 0)).mean()",
            ),
            "this is the sum; the mean was asked for": (
                "right[target != 0].mean()",
                "right[target != 0].sum()",
            ),
            "the sign: a loss is positive": ("-right", "right"),
            "exp of a large logit overflows: subtract each row's largest one first": (
                "    logits = logits - logits.max(axis=2, keepdims=True)\n",
                "",
            ),
            "the logarithm is missing: this is the mean chance": (
                "-right[target != 0].mean()",
                "np.exp(right[target != 0]).mean()",
            ),
            "the logarithm is missing: this is minus the mean chance": (
                "-right[target != 0].mean()",
                "-np.exp(right[target != 0]).mean()",
            ),
            "the softmax runs over the positions, not over the tokens": (
                ".sum(axis=2, keepdims=True)",
                ".sum(axis=1, keepdims=True)",
            ),
            "the logits are not normalized: subtract the log of the sum of exp": (
                " - np.log(np.exp(logits).sum(axis=2, keepdims=True))",
                "",
            ),
            "each sentence is averaged first; all positions count the same": (
                "-right[target != 0].mean()",
                "-((right * (target != 0)).sum(1) / (target != 0).sum(1)).mean()",
            ),
            "it is one number per position; their mean was asked for": (
                "right[target != 0].mean()",
                "right",
            ),
        },
        hints=(
            "The framework's cross-entropy can give one number per position. Which of "
            "them count?",
            "Where target is 0, the number must be left out of the sum and of the "
            "count.",
            "(loss per position * real).sum() / real.sum(), real = target != 0.",
        ),
    ),
    _part(
        "greedy",
        greedy,
        level=2,
        minutes=15,
        before="01.decoder_input, project.step",
        statement=(
            "Write `greedy(step, state, begin, end, length)`: write with the likeliest "
            "token each time. step(token (B), state) gives (logits (B, N), new state); "
            "state has B rows; begin, the token that is fed first; end, the token that "
            "ends a text. Output (B, length), whole numbers: what is written, end too; "
            "0 after it."
        ),
        cases=_greedy_cases,
        mistakes={
            "it goes on after the end: a text that has ended gets 0": (
                "np.where(ended, 0, logits.argmax(axis=1))",
                "logits.argmax(axis=1)",
            ),
            "begin is fed again at every step": (
                "step(token, state)",
                "step(0 * token + begin, state)",
            ),
            "the state stays the first one: keep what step returns": (
                "logits, state = step",
                "logits, _ = step",
            ),
            "the end itself is not written": (
                "        written.append(token)\n",
                "        written.append(np.where(token == end, 0, token))\n",
            ),
            "it takes the unlikeliest token": ("argmax", "argmin"),
            "after the end comes the end again; 0 should": (
                "np.where(ended, 0,",
                "np.where(ended, end,",
            ),
            "what is written begins with begin": (
                "    return np.stack(written, axis=1)",
                "    written = [0 * token + begin, *written[:-1]]\n"
                "    return np.stack(written, axis=1)",
            ),
            "one token too few": ("range(length)", "range(length - 1)"),
            "it is transposed: one row per text": ("axis=1)\n", "axis=0)\n"),
            "all stop as soon as one has ended": (
                "ended = ended | (token == end)",
                "ended = ended | (token == end).any()",
            ),
        },
        hints=(
            "A loop: what was written is what is fed next.",
            "Keep a boolean per text, whether it has ended; put 0 where it has, and "
            "update it after the token is written.",
            "logits, state = step(token, state); token = 0 where ended, else the "
            "argmax of the logits; append it; ended = ended or token == end.",
        ),
    ),
)

PARTS = tuple(each.name.removeprefix("project.") for each in EXERCISES)
