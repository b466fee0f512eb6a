"""The weights of many heads side by side."""

import matplotlib.pyplot as plt

from attn_course.plots.style import STYLE


def head_grid(weights, *, names=None):
    """One small panel a head: a row of panels a layer, dark is that panel's largest.

    weights: (layers, heads, T, S), queries downwards. names: {(layer, head): text},
    written above a panel.
    """
    layers, heads = len(weights), len(weights[0])
    with plt.rc_context(STYLE):
        options = {"layout": "constrained", "squeeze": False}
        size = (1.7 * heads + 0.4, 1.8 * layers)
        figure, axes = plt.subplots(layers, heads, figsize=size, **options)
        for (layer, head), panel in zip(
            [(i, j) for i in range(layers) for j in range(heads)],
            axes.flat,
            strict=True,
        ):
            panel.imshow(weights[layer][head], cmap="Blues", vmin=0)
            panel.set(xticks=[], yticks=[])
            panel.set_title((names or {}).get((layer, head), ""), fontsize=13)
            if head == 0:
                panel.set_ylabel(f"layer {layer + 1}")
    plt.show()
    return figure
