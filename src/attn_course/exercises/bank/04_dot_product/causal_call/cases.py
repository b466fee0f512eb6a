from attn_course.exercises.engine.exercise import Case, behind


def cases(rng):
    def draw(B, T, S, K, V):
        sizes = (B, T, K), (B, S, K), (B, S, V)
        return tuple(rng.normal(size=size) for size in sizes)

    query, key, value = draw(2, 5, 5, 3, 2)
    query, key = behind(query, key)  # the last key, which the last query alone may see
    return [
        Case("more keys than queries", draw(2, 3, 7, 5, 4)),
        Case("fewer keys than queries", draw(3, 7, 2, 4, 5)),
        Case("one query", draw(1, 1, 5, 3, 2)),
        Case("one key", draw(2, 5, 1, 3, 4)),
        Case("the largest score is blocked", (query, key, value)),
        Case("equal sizes", draw(5, 5, 5, 5, 5)),
    ]


def measure(framework, query, key, value):
    """The library's own call."""
    from attn_course.core import frameworks

    if framework == "torch":
        own = frameworks.torch.nn.functional.scaled_dot_product_attention
        return own(query, key, value, is_causal=True)
    layer = frameworks.keras.layers.Attention()
    return layer([query, value, key], use_causal_mask=True)
