"""Write `step(token, state, memory, mask, p)`, one step of the decoder. token (B),
whole numbers; state (B, H); memory (B, S, E); mask (B, S); p, a dictionary of
parameters. The state before the step asks (query_weight, memory_weight, score_weight).
The new state is tanh of [the token's row of target, context, state] @ state_weight +
state_bias. Returns the logits, [new state, context] @ output_weight + output_bias, (B,
N), and the new state (B, H).

1. Look back first, then move. Nothing is new here: your three parts give the context.
2. Join in the order of the statement: [row of target, context, state] before the step,
   [new state, context] after it.
3. s = score(state, memory, ...); c = context(weights(s, mask), memory); state =
   tanh([target[token], c, state] @ state_weight + state_bias); return [state, c] @
   output_weight + output_bias, state.
"""

title = "one step of the decoder looks back, then moves"
level, minutes = 3, 20
kind = "part"
before = "02.step, project.score, project.weights, project.context"
usual = "afterwards"
uses = "score", "weights", "context"


def cases(rng):
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
        return rng.integers(0, N, B), state, memory, lengths_mask(rng, B, S), p

    def blocked(token, state, memory, mask, p):
        memory, p = additive_behind(memory, mask, p)
        return token, state, memory, mask, p

    cases = fixed_cases(rng, draw, 5, long=(1,), full={3: np.ones_like})
    case = blocked(*draw(3, 7, 5, 2, 11))
    return [*cases, Case("the largest score is blocked", case)]


# %% solution
def step(token, state, memory, mask, p):
    asked = (state @ p["query_weight"])[:, None]
    score = np.tanh(asked + memory @ p["memory_weight"]) @ p["score_weight"]
    weights = softmax(np.where(mask, score, -np.inf))
    context = (weights[:, None] @ memory)[:, 0]
    seen = np.concatenate([p["target"][token], context, state], axis=1)
    state = np.tanh(seen @ p["state_weight"] + p["state_bias"])
    seen = np.concatenate([state, context], axis=1)
    return seen @ p["output_weight"] + p["output_bias"], state


# %% solution: torch
def step_torch(token, state, memory, mask, p):
    ...  # (B), (B, H), (B, S, E), (B, S); return (B, N), (B, H)
    score = score_torch(
        state, memory, p["query_weight"], p["memory_weight"], p["score_weight"]
    )
    context = context_torch(weights_torch(score, mask), memory)
    seen = torch.cat([p["target"][token], context, state], 1)
    state = torch.tanh(seen @ p["state_weight"] + p["state_bias"])
    seen = torch.cat([state, context], 1)
    return seen @ p["output_weight"] + p["output_bias"], state


# %% solution: tf
def step_tf(token, state, memory, mask, p):
    ...  # (B), (B, H), (B, S, E), (B, S); return (B, N), (B, H)
    score = score_tf(
        state, memory, p["query_weight"], p["memory_weight"], p["score_weight"]
    )
    context = context_tf(weights_tf(score, mask), memory)
    seen = tf.concat([tf.gather(p["target"], token), context, state], 1)
    state = tf.tanh(seen @ p["state_weight"] + p["state_bias"])
    seen = tf.concat([state, context], 1)
    return seen @ p["output_weight"] + p["output_bias"], state


# %% mistake: it returns the state before the step, not the new one
new = np.tanh(seen @ p["state_weight"] + p["state_bias"])
seen = np.concatenate([new, context], axis=1)
# %% mistake: the mask is not used
weights = softmax(score)
# %% mistake: the new state has no tanh
state = seen @ p["state_weight"] + p["state_bias"]
# %% mistake: the score has no tanh
score = (asked + memory @ p["memory_weight"]) @ p["score_weight"]
# %% mistake: the state's bias is missing
state = np.tanh(seen @ p["state_weight"])
# %% mistake: the output's bias is missing
return seen @ p["output_weight"], state
# %% mistake: the logits come first, then the state: they are exchanged
return state, seen @ p["output_weight"] + p["output_bias"]
# %% mistake: these are chances; logits come before the softmax
return softmax(seen @ p["output_weight"] + p["output_bias"]), state
# %% mistake: the weights are not normalized: the softmax is missing
weights = np.where(mask, score, 0)
# %% mistake: every token counts as token 0
seen = np.concatenate([p["target"][0 * token], context, state], axis=1)
# %% mistake: the context is the mean of the annotations
context = memory.mean(axis=1)
