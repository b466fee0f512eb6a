"""Write `embed(vectors, waves)`: vectors (T, D), the rows of the table for T tokens;
waves (T, D), the sinusoids of their positions; output (T, D), what enters the first
layer.

1. Section 3.4 of the paper: the vectors of the table are multiplied by a number.
   Section 3.5 adds the positions.
2. The number is the square root of the model's width, D.
3. vectors * np.sqrt(vectors.shape[1]) + waves
"""

title = "embed tokens as the paper does"
level, minutes = 1, 5
before = "07.rotate"


def cases(rng):
    def draw(T, D):
        return normals(rng, (T, D), (T, D))

    return fixed_cases(rng, draw, 2)


# %% solution
def embed(vectors, waves):
    ...  # (T, D) each; return (T, D)
    return vectors * np.sqrt(vectors.shape[1]) + waves


# %% mistake: the vectors are not scaled
return vectors + waves
# %% mistake: the scale is the root of the width, not the width
return vectors * vectors.shape[1] + waves
# %% mistake: the vectors are multiplied by the root, not divided
return vectors / np.sqrt(vectors.shape[1]) + waves
# %% mistake: the width is the last axis; the root is of the number of tokens
return vectors * np.sqrt(vectors.shape[0]) + waves
# %% mistake: the positions are missing
return vectors * np.sqrt(vectors.shape[1])
# %% mistake: the sinusoids are not scaled
return (vectors + waves) * np.sqrt(vectors.shape[1])
# %% mistake: the sinusoids are subtracted; they should be added
return vectors * np.sqrt(vectors.shape[1]) - waves
# %% mistake: the sinusoids are multiplied; they should be added
return vectors * np.sqrt(vectors.shape[1]) * waves
# %% mistake: every position gets the first one's sinusoids
return vectors * np.sqrt(vectors.shape[1]) + waves[0]


# %% mistake: they are joined side by side; they should be added
def instead(vectors, waves):
    return np.concatenate([vectors * np.sqrt(vectors.shape[1]), waves], 1)


# %% mistake: the width is a constant; it is that of the vectors
return vectors * np.sqrt(512) + waves
