"""Find the bug. Cross-attention with one head: x (T, D), what is written; memory (S,
D), the encoder's output; query_weight and key_weight (D, K), value_weight (D, V);
output (T, V). `softmax(score)` is given.

1. Who asks, and who is asked? The output has a row for every written word.
2. Queries come from x; keys and values come from the memory.
3. query, key = x @ query_weight, memory @ key_weight; the values likewise.
"""

title = "find the bug in a decoder's cross-attention"
level, minutes = 2, 10
kind = "bug"
before = "05.self_attention"
usual = "overflow unscaled width queries"


def cases(rng):
    def draw(T, S, D, K, V):
        sizes = (T, D), (S, D), (D, K), (D, K), (D, V)
        x, memory, *weights = normals(rng, *sizes)
        return x, memory, *(weight / np.sqrt(D) for weight in weights)

    return fixed_cases(rng, draw, 5, long=(1,), large=scaled(60, 60))


# %% solution
def look_across(x, memory, query_weight, key_weight, value_weight):
    query, key = x @ query_weight, memory @ key_weight
    score = query @ key.T / np.sqrt(key.shape[1])
    return softmax(score) @ (memory @ value_weight)


# %% starter
query, key = memory @ query_weight, x @ key_weight
return softmax(score) @ (x @ value_weight)
# %% mistake: the source asks and what is written answers; it is the other way around
query, key = memory @ query_weight, x @ key_weight
return softmax(score) @ (x @ value_weight)
# %% mistake: the keys are of what is written; they should be of the memory
query, key = x @ query_weight, x @ key_weight
return softmax(score) @ (x @ value_weight)
# %% mistake: the queries are of the memory; they should be of what is written
query, key = memory @ query_weight, memory @ key_weight
# %% mistake: the scale is the root of the keys' width, not of the model's
score = query @ key.T / np.sqrt(x.shape[1])
# %% mistake: x is added; that is the way around, which comes later
return x + softmax(score) @ (memory @ value_weight)
# %% mistake: the memory itself is averaged, not its values
return softmax(score) @ memory
# %% mistake: the values are of what is written; they should be of the memory
return softmax(score) @ (x @ value_weight)
# %% mistake: the scores are not turned into weights
return score @ (memory @ value_weight)
# %% mistake: it is causal; a decoder sees all of the source
return softmax(np.where(np.tri(*score.shape) > 0, score, -np.inf)) @ (
    memory @ value_weight
)
# %% mistake: queries and keys are exchanged in the product
score = key @ query.T / np.sqrt(key.shape[1])
# %% mistake: query_weight and key_weight are exchanged
query, key = x @ key_weight, memory @ query_weight
# %% mistake: the root is that of the value's width
score = query @ key.T / np.sqrt(value_weight.shape[1])
