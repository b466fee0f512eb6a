"""Write `greedy(step, state, begin, end, length)`: write with the likeliest token each
time. step(token (B), state) gives (logits (B, N), new state); state has B rows; begin,
the token that is fed first; end, the token that ends a text. Output (B, length), whole
numbers: what is written, end too; 0 after it.

1. A loop: what was written is what is fed next.
2. Keep a boolean per text, whether it has ended; put 0 where it has, and update it
   after the token is written.
3. logits, state = step(token, state); token = 0 where ended, else the argmax of the
   logits; append it; ended = ended or token == end.
"""

title = "greedy decoding stops at the end of each text"
level, minutes = 2, 15
kind = "part"
before = "01.decoder_input, project.step"


def cases(rng):
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

    def apart(model, state, begin, end, T):
        model.logits[:, :, end] = -99
        model.logits[0, begin, end] = 99  # for the text that begins there
        return model, np.arange(len(state)), begin, end, T

    cases = fixed_cases(rng, draw, 3, long=(1,), full=never)
    cases[-1] = cases[-1]._replace(name="the end never comes")
    cases.append(Case("the end comes at once", at_once(*draw(3, 5, 7))))
    return [*cases, Case("one text ends before the others", apart(*draw(3, 5, 7)))]


# %% solution
def greedy(step, state, begin, end, length):
    token = np.full(len(state), begin)
    ended, written = np.zeros(len(state), bool), []
    for _ in range(length):
        logits, state = step(token, state)
        token = np.where(ended, 0, logits.argmax(axis=1))
        written.append(token)
        ended = ended | (token == end)
    return np.stack(written, axis=1)


# %% solution: torch
def greedy_torch(step, state, begin, end, length):
    ...  # state has B rows; return (B, length)
    token = torch.full((len(state),), begin)
    ended, written = torch.zeros(len(state), dtype=torch.bool), []
    for _ in range(length):
        logits, state = step(token, state)
        token = logits.argmax(1).masked_fill(ended, 0)
        written.append(token)
        ended = ended | (token == end)
    return torch.stack(written, 1)


# %% solution: tf
def greedy_tf(step, state, begin, end, length):
    ...  # state has B rows; return (B, length)
    token = tf.fill([tf.shape(state)[0]], begin)
    ended, written = tf.zeros_like(token, tf.bool), []
    for _ in range(length):
        logits, state = step(token, state)
        token = tf.argmax(logits, 1, tf.int32) * tf.cast(~ended, tf.int32)
        written.append(token)
        ended = ended | (token == end)
    return tf.stack(written, 1)


# %% mistake: it goes on after the end: a text that has ended gets 0
token = logits.argmax(axis=1)
# %% mistake: begin is fed again at every step
logits, state = step(0 * token + begin, state)
# %% mistake: the state stays the first one: keep what step returns
logits, _ = step(token, state)
# %% mistake: the end itself is not written
written.append(np.where(token == end, 0, token))
# %% mistake: it takes the unlikeliest token
token = np.where(ended, 0, logits.argmin(axis=1))
# %% mistake: after the end comes the end again; 0 should
token = np.where(ended, end, logits.argmax(axis=1))
# %% mistake: what is written begins with begin
return np.stack([0 * token + begin, *written[:-1]], axis=1)
# %% mistake: one token too few
for _ in range(length - 1):
    ...
# %% mistake: it is transposed: one row per text
return np.stack(written, axis=0)
# %% mistake: all stop as soon as one has ended
ended = ended | (token == end).any()
