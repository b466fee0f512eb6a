"""How figures look: mid-grey on no background, for a light and for a dark page.

Both colours have a contrast of at least 4.2 to 1 with either page. The type is large:
a telephone shows a figure at half its size.
"""

GREY = "#7a7a7a"
ACCENT = "#bf5c18"
STYLE = {
    "font.size": 13,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "text.color": GREY,
    "axes.labelcolor": GREY,
    "axes.edgecolor": GREY,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "axes.spines.top": False,
    "axes.spines.right": False,
}
