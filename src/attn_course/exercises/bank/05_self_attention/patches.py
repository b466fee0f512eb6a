"""Write `patches(image, size)`: image (C, H, W) with sides that `size` divides; output
(H / size * W / size, C * size * size). Patches row by row; inside one, channel by
channel, then row by row.

1. Cut both sides in two axes each: which patch, and where inside.
2. image.reshape(C, H // size, size, W // size, size), then move the axes so that the
   two that count patches come first.
3. transpose(1, 3, 0, 2, 4), then reshape(-1, C * size * size)
"""

title = "cut an image into patches"
level, minutes = 2, 15
before = "reshape, transpose"


def cases(rng):
    def draw(C, rows, columns, size):
        shape = C, rows * size, columns * size
        return rng.normal(size=shape), size

    cases = fixed_cases(rng, draw, 4, equal=3, long=())
    return [
        *cases,
        Case("one patch", draw(3, 1, 1, 5)),
        Case("one pixel", draw(1, 2, 3, 1)),
    ]


# %% solution
def patches(image, size):
    ...  # (C, H, W), a number; return (patches, C * size * size)
    C, H, W = image.shape
    cut = image.reshape(C, H // size, size, W // size, size)
    return cut.transpose(1, 3, 0, 2, 4).reshape(-1, C * size * size)


# %% mistake: reshape alone cuts rows, not squares
instead = lambda image, size: image.reshape(-1, len(image) * size * size)
# %% mistake: the patches come column by column
return cut.transpose(3, 1, 0, 2, 4).reshape(-1, C * size * size)
# %% mistake: the channels come last inside a patch
return cut.transpose(1, 3, 2, 4, 0).reshape(-1, C * size * size)
# %% mistake: a patch is transposed: rows come before columns
return cut.transpose(1, 3, 0, 4, 2).reshape(-1, C * size * size)
# %% mistake: the channels come before the patches
return cut.transpose(0, 1, 3, 2, 4).reshape(-1, C * size * size)
# %% mistake: pixels that lie apart end up in one patch
cut = image.reshape(C, size, H // size, size, W // size).transpose(0, 2, 1, 4, 3)
# %% mistake: the channels stand between row and column
return cut.transpose(1, 3, 2, 0, 4).reshape(-1, C * size * size)
# %% mistake: there is one token per pixel; a patch was asked for
instead = lambda image, size: image.reshape(len(image), -1).T
# %% mistake: each patch keeps its axes; make one row of it
return cut.transpose(1, 3, 0, 2, 4).reshape(-1, C, size, size)
# %% mistake: the output is transposed
return cut.transpose(1, 3, 0, 2, 4).reshape(-1, C * size * size).T
# %% mistake: patches and the pixels inside one are exchanged
return cut.transpose(2, 4, 0, 1, 3).reshape(-1, C * size * size)
# %% mistake: a row holds one channel alone
return cut.transpose(1, 3, 0, 2, 4).reshape(-1, size * size)
# %% mistake: rows and columns of the result are exchanged by the last reshape
return cut.transpose(1, 3, 0, 2, 4).reshape(C * size * size, -1)
# %% mistake: each patch keeps five axes; make one row of it
return cut.transpose(1, 3, 0, 2, 4)
# %% mistake: size comes second in a cut: H is cut into H / size pieces of size
cut = image.reshape(C, size, H // size, size, W // size)
