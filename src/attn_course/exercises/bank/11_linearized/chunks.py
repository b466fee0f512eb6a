"""Find the bugs. Causal linear attention in chunks of `size`, on features that are
positive already: query and key (T, F), value (T, V); output (T, V). There are two
faults; with chunks of size 1, or with one chunk, one of them does not show.

1. A token sees the chunks before its own, and in its own what stands up to it. Both
   sums, of values and of similarities.
2. Which pairs within a chunk may count? And what must go from chunk to chunk besides
   the state?
3. pairs = np.tril(q @ k.T), and total = total + k.sum(axis=0).
"""

title = "find the bugs in the chunks"
level, minutes = 3, 20
kind = "bug"
before = "11.recurrent"


def cases(rng):
    def draw(T, F, V, size):
        query, key = rng.uniform(0.1, 2.0, size=(2, T, F))
        return query, key, rng.normal(size=(T, V)), size

    cases = fixed_cases(rng, draw, 4, equal=None, long=(0,))
    cases.append(Case("equal sizes", draw(5, 5, 5, 5)))
    cases.append(Case("a last chunk that is not full", draw(11, 3, 2, 4)))
    cases.append(Case("chunks that divide the length", draw(12, 3, 2, 4)))
    return [*cases, Case("a chunk longer than the input", draw(5, 3, 2, 7))]


# %% solution
def in_chunks(query, key, value, size):
    state = np.zeros((key.shape[1], value.shape[1]))
    total, outputs = np.zeros(key.shape[1]), []
    for start in range(0, len(key), size):
        q, k, v = (x[start : start + size] for x in (query, key, value))
        pairs = np.tril(q @ k.T)
        norm = pairs.sum(axis=1) + q @ total
        outputs.append((pairs @ v + q @ state) / norm[:, None])
        state, total = state + k.T @ v, total + k.sum(axis=0)
    return np.concatenate(outputs)


# %% starter
pairs = q @ k.T
state, total = state + k.T @ v, k.sum(axis=0)
# %% mistake: within a chunk, queries see keys to come
pairs = q @ k.T
# %% mistake: the normalizer of earlier chunks is lost
state, total = state + k.T @ v, k.sum(axis=0)
# %% mistake: the state of earlier chunks is lost
state, total = k.T @ v, total + k.sum(axis=0)
# %% mistake: a chunk is blind to itself: it reads the state alone
norm = q @ total + 1e-9
outputs.append((q @ state) / norm[:, None])
# %% mistake: a token does not see itself
pairs = np.tril(q @ k.T, -1)
# %% mistake: the state is read after the chunk has been added: it counts twice
outputs.append((pairs @ v + q @ (state + k.T @ v)) / norm[:, None])
# %% mistake: the normalizer leaves out the chunk itself
norm = q @ total + (start == 0) * pairs.sum(axis=1)
# %% mistake: the normalizer leaves out the chunks before
norm = pairs.sum(axis=1)
# %% mistake: the state is never read
outputs.append((pairs @ v) / norm[:, None])
# %% mistake: there is no normalizer
outputs.append(pairs @ v + q @ state)
# %% mistake: the normalizer sums over the queries
norm = pairs.sum() + q @ total
# %% mistake: queries see the keys after them, not those before
pairs = np.triu(q @ k.T)
# %% mistake: the normalizer keeps a chunk's last key alone
state, total = state + k.T @ v, total + k[-1]
# %% mistake: the state is made of the queries; it is the keys
state, total = state + q.T @ v, total + k.sum(axis=0)
# %% mistake: a chunk's own values are left out
outputs.append((q @ state) / norm[:, None])
# %% mistake: it divides by the root of the width, not by the sum
norm = np.sqrt(key.shape[1]) + 0 * pairs.sum(axis=1)
