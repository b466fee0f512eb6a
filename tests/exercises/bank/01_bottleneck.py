# %% padding_mask, right: numpy 2
lambda n, size: np.array([[j < each for j in range(size)] for each in n])
# %% padding_mask, right: torch
lambda n, size: torch.arange(size) < n[:, None]
# %% padding_mask, right: tf
lambda n, size: tf.sequence_mask(n, size)


# %% padding_mask, right: numpy 3
def f(n, size):
    m = np.zeros((len(n), size), bool)
    for row, each in zip(m, n):
        row[:each] = True
    return m


# %% last_state, right: numpy
lambda h, m: h[np.arange(len(h)), m.sum(1) - 1]


# %% last_state, right: numpy 3
def f(h, m):
    last = m.shape[1] - 1 - m[:, ::-1].argmax(axis=1)
    return h[np.arange(len(h)), last]


# %% last_state, right: torch
lambda h, m: h[torch.arange(len(h)), m.sum(1) - 1]


# %% last_state, right: torch 2
def f(h, m):
    out = torch.zeros(h.shape[0], h.shape[2])
    for b in range(len(h)):
        out[b] = h[b][m[b]][-1]
    return out


# %% last_state, right: tf
def f(h, m):
    last = tf.reduce_sum(tf.cast(m, tf.int32), 1) - 1
    return tf.cast(tf.gather(h, last, batch_dims=1), tf.float32)


# %% decoder_input, right: numpy 2
def f(t, begin):
    out = np.roll(t, 1, axis=1)
    out[:, 0] = begin
    return out


# %% decoder_input, right: torch
lambda t, begin: torch.nn.functional.pad(t[:, :-1], (1, 0), value=begin)
# %% decoder_input, right: numpy 3
lambda t, begin: np.insert(t, 0, begin, axis=1)[:, :-1].astype(np.int32)


# %% run, right: torch
def f(x, W, U, m):
    h = x.new_zeros(len(x), len(U))
    for t in range(x.shape[1]):
        h = torch.where(m[:, t, None], torch.tanh(x[:, t] @ W + h @ U), h)
    return h


# %% run, right: numpy 2
def f(x, W, U, m):
    out = []
    for one, keep in zip(x, m):
        h = np.zeros(len(U))
        for word in one[keep]:
            h = np.tanh(word @ W + h @ U)
        out.append(h)
    return out


# %% influence, right: torch
lambda a, n: torch.tensor(a) ** (n - 1)
# %% influence, right: tf
lambda a, n: tf.reduce_prod(tf.fill((n - 1,), a))


# %% influence, right: numpy 2
def f(a, n):
    x = 1.0
    for _ in range(n - 1):
        x = a * x
    return x


# %% influence, right: numpy 3
def f(a, n):
    def end(x):
        s = 0.0
        for t in range(n):
            s = a * s + (x if t == 0 else 1.0)
        return s

    return (end(1.5) - end(-0.5)) / 2


# %% narrowest, right: numpy
def narrowest(share, widths, lengths, letters):
    column = list(lengths).index(letters)
    for place, width in enumerate(widths):
        if min(run[place, column] for run in share) >= 0.5:
            return int(width)
    return 0


# %% narrowest, right: numpy 2
def narrowest(share, widths, lengths, letters):
    worst = share.min(axis=0)[:, lengths == letters][:, 0]
    return min((w for w, x in zip(widths, worst) if x >= 0.5), default=0)


# %% narrowest, wrong: always 64
lambda *given: 64
# %% narrowest, wrong: always 128
lambda *given: 128
# %% narrowest, wrong: always none
lambda *given: 0
# %% narrowest, wrong: four times the letters
lambda share, widths, lengths, letters: 4 * letters
# %% narrowest, wrong: the first width
lambda share, widths, lengths, letters: widths[0]
# %% narrowest, wrong: the first run alone
lambda share, widths, lengths, letters: next(
    (w for w, x in zip(widths, share[0, :, lengths == letters][0]) if x >= 0.5), 0
)
# %% narrowest, wrong: the last run alone
lambda share, widths, lengths, letters: next(
    (w for w, x in zip(widths, share[-1, :, lengths == letters][0]) if x >= 0.5), 0
)
# %% narrowest, wrong: nine tenths
lambda share, widths, lengths, letters: next(
    (w for w, x in zip(widths, share.min(0)[:, lengths == letters]) if x >= 0.9), 0
)
# %% narrowest, wrong: the share itself
lambda share, widths, lengths, letters: share.min(0)[:, lengths == letters].max()
# %% narrowest, wrong: all widths
lambda share, widths, lengths, letters: widths
# %% narrowest, wrong: at the next length
lambda share, widths, lengths, letters: next(
    (w for w, x in zip(widths, share.min(0)[:, lengths >= letters][:, -1]) if x >= 0.5), 0
)


# %% pack, right: numpy
def pack():
    """Three letters in each number: they change places at every step."""
    return np.array([[0, 15], [1, 0]]), np.array([1, 0])


# %% pack, right: numpy 2
def pack():
    """Digits to the right of the point."""
    return np.eye(2) / 16, np.array([1.0, 0.0])


# %% pack, wrong: no W
lambda: 15 * np.eye(2)
# %% pack, wrong: four numbers
lambda: (np.eye(4, k=-1), np.eye(4)[0])
# %% pack, wrong: nothing is written
lambda: (15 * np.eye(2), np.zeros(2))
# %% pack, wrong: the matrix of the section, cut
lambda: (np.eye(2, k=-1), np.array([1, 0]))
# %% pack, wrong: it moves the other way
lambda: (np.eye(2, k=1), np.array([1, 0]))
# %% pack, wrong: a mean
lambda: (0.5 * np.eye(2), 0.5 * np.array([1, 1]))
# %% pack, wrong: exchanged
lambda: (np.array([1, 0]), 15 * np.eye(2))
# %% pack, wrong: the numbers turn in a circle
lambda: (np.array([[0, 1], [1, 0]]), np.array([1, 0]))
# %% pack, wrong: forgotten at every step
lambda: (np.zeros((2, 2)), np.array([1, 1]))
