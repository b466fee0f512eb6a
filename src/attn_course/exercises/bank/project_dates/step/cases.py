import numpy as np

from attn_course.exercises.engine.exercise import Case, fixed_cases


def _lengths_mask(rng, B, S):
    return np.arange(S) < rng.integers(1, S + 1, (B, 1))


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
        return rng.integers(0, N, B), state, memory, _lengths_mask(rng, B, S), p

    def full(token, state, memory, mask, p):
        return token, state, memory, np.ones_like(mask), p

    def blocked(token, state, memory, mask, p):
        mask[:, -1] = False
        mask[:, 0] = True
        memory = -np.abs(memory)
        memory[:, -1] = 50
        positive = np.abs(p["memory_weight"])
        score = np.full_like(p["score_weight"], 3000)
        more = {"memory_weight": positive, "score_weight": score}
        return token, state, memory, mask, {**p, **more}

    cases = fixed_cases(rng, draw, 5, long=(1,), full=full)
    case = blocked(*draw(3, 7, 5, 2, 11))
    return [*cases, Case("the largest score is blocked", case)]
