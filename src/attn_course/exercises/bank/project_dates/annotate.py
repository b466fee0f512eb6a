"""Write `annotate(x, mask, weight, bias)`: what a position knows of itself and its
neighbors. x (B, S, M), the characters' vectors; mask (B, S) bool; weight (W, M, E), W
odd; bias (E). Output (B, S, E): tanh of the bias plus the sum over i of the vector at
position s + i - (W - 1) / 2 times weight[i]. Padding and what lies outside count as
zeros.

1. A window slides over the sentence. Instead of a loop over positions, shift the whole
   sentence W times and add.
2. Set padding to zero, put (W - 1) // 2 zeros at both ends, and add x[:, i : i + S] @
   weight[i] for every i.
3. total = sum(x[:, i : i + S] @ weight[i] for i in range(W)); the answer is tanh(total
   + bias).
"""

title = "annotate each character with its neighbors"
level, minutes = 2, 15
kind = "part"
before = "project.pad, matrix products"


def cases(rng):
    def draw(B, S, M, E, W=5):
        weight, bias = rng.normal(size=(W, M, E)) / np.sqrt(W * M), rng.normal(size=E)
        return rng.normal(size=(B, S, M)), lengths_mask(rng, B, S), weight, bias

    cases = fixed_cases(rng, draw, 4, long=(), full={1: np.ones_like})
    cases.append(Case("length 100", draw(2, 100, 3, 5)))
    cases.append(Case("no neighbors", draw(3, 5, 2, 7, W=1)))
    return [*cases, Case("more neighbors than positions", draw(2, 3, 5, 7, W=9))]


# %% solution
def annotate(x, mask, weight, bias):
    W, S = len(weight), x.shape[1]
    side = (W - 1) // 2
    x = np.pad(x * mask[:, :, None], ((0, 0), (side, side), (0, 0)))
    total = sum(x[:, i : i + S] @ weight[i] for i in range(W))
    return np.tanh(total + bias)


# %% solution: torch
def annotate_torch(x, mask, weight, bias):
    ...  # (B, S, M), (B, S), (W, M, E), (E); return (B, S, E)
    W, S = len(weight), x.shape[1]
    side = (W - 1) // 2
    x = torch.nn.functional.pad(x * mask[:, :, None], (0, 0, side, side))
    total = sum(x[:, i : i + S] @ weight[i] for i in range(W))
    return torch.tanh(total + bias)


# %% solution: tf
def annotate_tf(x, mask, weight, bias):
    ...  # (B, S, M), (B, S), (W, M, E), (E); return (B, S, E)
    W, S = weight.shape[0], tf.shape(x)[1]
    side = (W - 1) // 2
    x = x * tf.cast(mask, x.dtype)[:, :, None]
    x = tf.pad(x, ((0, 0), (side, side), (0, 0)))
    total = sum(x[:, i : i + S] @ weight[i] for i in range(W))
    return tf.tanh(total + bias)


# %% mistake: padding counts: multiply x with the mask first
x = np.pad(x, ((0, 0), (side, side), (0, 0)))
# %% mistake: the neighbors are mirrored: weight[0] belongs to the leftmost
total = sum(x[:, i : i + S] @ weight[W - 1 - i] for i in range(W))
# %% mistake: the window ends at the position; it stands around it
x = np.pad(x * mask[:, :, None], ((0, 0), (W - 1, 0), (0, 0)))
# %% mistake: the window begins at the position; it stands around it
x = np.pad(x * mask[:, :, None], ((0, 0), (0, W - 1), (0, 0)))
# %% mistake: there is no tanh
return total + bias
# %% mistake: the bias is missing
return np.tanh(total)
# %% mistake: the bias stands outside the tanh
return np.tanh(total) + bias
# %% mistake: only the position itself is read
total = sum(x[:, i : i + S] @ weight[i] for i in [side])
# %% mistake: all neighbors get the same weight
total = sum(x[:, i : i + S] @ weight[side] for i in range(W))
# %% mistake: the last neighbor is left out
total = sum(x[:, i : i + S] @ weight[i] for i in range(W - 1))
# %% mistake: the sum is divided by W; here it is not
return np.tanh(total / W + bias)
# %% mistake: the mask is inverted: True is a character
x = np.pad(x * ~mask[:, :, None], ((0, 0), (side, side), (0, 0)))
