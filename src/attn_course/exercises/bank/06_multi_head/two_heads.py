"""Find the bugs; there are two. Two heads for one sequence: x (T, D), query_weight,
key_weight and value_weight (D, 2 K), output_weight (2 K, D); output (T, D).
`softmax(score)` is given.

1. Each head is a whole attention of its own, narrower. What has its width?
2. Look at the number under the root, and at what becomes of `answers`.
3. np.sqrt(width), and np.concatenate(answers, axis=1) @ output_weight.
"""

title = "find the bugs in two heads"
level, minutes = 2, 20
kind = "bug"
before = "05.self_attention, 06.split_heads"
usual = "overflow unscaled width"


def cases(rng):
    def draw(T, K, D):
        weights = rng.normal(size=(3, D, 2 * K)) / np.sqrt(D)
        return rng.normal(size=(T, D)), *weights, rng.normal(size=(2 * K, D))

    cases = fixed_cases(rng, draw, 3, long=(0,), large=scaled(60))
    return [Case("as many columns as the model is wide", draw(4, 2, 4)), *cases]


# %% solution
def two_heads(x, query_weight, key_weight, value_weight, output_weight):
    query, key, value = x @ query_weight, x @ key_weight, x @ value_weight
    width, answers = query.shape[1] // 2, []
    for head in (0, 1):
        own = slice(head * width, (head + 1) * width)
        score = query[:, own] @ key[:, own].T / np.sqrt(width)
        answers.append(softmax(score) @ value[:, own])
    return np.concatenate(answers, axis=1) @ output_weight


# %% starter
score = query[:, own] @ key[:, own].T / np.sqrt(x.shape[1])
return sum(answers) @ output_weight[:width]
# %% mistake: the scale is the root of a head's own width
score = query[:, own] @ key[:, own].T / np.sqrt(x.shape[1])
# %% mistake: the scale is the root of a head's own width, not of both together
score = query[:, own] @ key[:, own].T / np.sqrt(2 * width)
# %% mistake: answers are joined side by side, not added
return sum(answers) @ output_weight[:width]
# %% mistake: answers are joined side by side, not averaged
return sum(answers) / 2 @ output_weight[:width]
# %% mistake: the output matrix is missing
return np.concatenate(answers, axis=1)
# %% mistake: the heads are interleaved; they are blocks of columns
own = slice(head, None, 2)
# %% mistake: the softmax runs over the queries
answers.append(softmax(score, axis=0) @ value[:, own])
# %% mistake: the second head comes first
for head in (1, 0):
    ...
# %% mistake: both heads get the first block
for head in (0, 0):
    ...
# %% mistake: the average runs over the queries
answers.append(softmax(score).T @ value[:, own])
# %% mistake: queries and keys are exchanged
score = key[:, own] @ query[:, own].T / np.sqrt(width)
# %% mistake: the output matrix is transposed
return np.concatenate(answers, axis=1) @ output_weight.T
# %% mistake: one head has both blocks; there should be two
for head in (0,):
    ...
own = slice(0, 2 * width)
