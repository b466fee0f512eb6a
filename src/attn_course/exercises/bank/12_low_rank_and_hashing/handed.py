"""A choice of keys is handed to a library's call as numbers, 1 for a key that is to be
read and 0 for the others: query (B, T, K), key (B, S, K), value (B, S, V), chosen
(T, S). Read the library's documentation or its code, and write in NumPy what it
returns, `returned(query, key, value, chosen)`. The check runs the call itself. Your
answer must not call the library.

1. What does the call do with a mask that is not boolean? And with a row of zeros?
2. Try it with scores that are all 0: which weights do 1 and 0 get?
3. One call adds the numbers to the scores; the other asks whether they are above 0.5,
   and where none is, the output is zero.
"""

title = "read real code: a choice handed over as numbers"
level, minutes = 2, 15
kind = "read"
before = "04.attention"


def cases(rng):
    def draw(B, T, S, K, V, share=0.5):
        chosen = (rng.random((T, S)) < share).astype(float)
        chosen[0, :1] = 1.0
        return *normals(rng, (B, T, K), (B, S, K), (B, S, V)), chosen

    nothing = draw(2, 3, 5, 4, 2)
    nothing[-1][1] = 0.0
    return [
        Case("half of the keys", draw(2, 5, 7, 3, 2)),
        Case("few keys", draw(3, 2, 11, 5, 4, 0.1)),
        Case("a query that may read nothing", nothing),
        Case("all keys", draw(1, 4, 3, 2, 5, 2.0)),
    ]


def measure(framework, query, key, value, chosen):
    """The library's own call."""
    from attn_course.core import frameworks

    if framework == "torch":
        own = frameworks.torch.nn.functional.scaled_dot_product_attention
        return own(query, key, value, attn_mask=chosen)
    tf = frameworks.tf
    score = tf.matmul(query, key, transpose_b=True)
    return frameworks.keras.layers.Softmax()(score, chosen[None]) @ value


# %% solution
def returned(query, key, value, chosen):
    ...  # (B, T, K), (B, S, K), (B, S, V), (T, S); return (B, T, V)
    score = query @ key.swapaxes(1, 2) / np.sqrt(key.shape[2])
    return softmax(score + chosen) @ value


# %% solution: torch
def returned(query, key, value, chosen):
    """torch.nn.functional.scaled_dot_product_attention(
    query, key, value, attn_mask=chosen)"""
    ...  # NumPy: three arrays, then (T, S); return (B, T, V)
    score = query @ key.swapaxes(1, 2) / np.sqrt(key.shape[2])
    return softmax(score + chosen) @ value  # added: nothing is hidden


# %% solution: tf
def returned(query, key, value, chosen):
    """keras.layers.Softmax()(
    query @ key^T, chosen) @ value"""
    ...  # NumPy: three arrays, then (T, S); return (B, T, V)
    score = query @ key.swapaxes(1, 2)
    read = chosen > 0.5
    return softmax(np.where(read, score, -1e30)) * read @ value


# %% mistake: the call returns: numbers are added to the scores, they hide nothing
return softmax(np.where(chosen > 0.5, score, -1e9)) @ value
# %% mistake: the call returns: the scores are divided by the root of K
return softmax(score * np.sqrt(key.shape[2]) + chosen) @ value
# %% mistake: the call returns: 1 is added, not taken away
return softmax(score - chosen) @ value
# %% mistake: the call returns: no mask at all
return softmax(score) @ value
# %% mistake: the call returns: the softmax runs over the keys
return softmax(score + chosen, axis=1) @ value
# %% mistake: the call returns: the numbers are added before the softmax, not multiplied
return (softmax(score) * chosen) @ value
