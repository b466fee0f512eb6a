"""The colors of all figures, still ones and ones to drag. Nothing is imported.

Six mid tones on no background: every one has a contrast of at least 3 to 1 with a light
and with a dark page; the book's own page exchanges them for brighter or darker ones.
"""

GREY = INK = "#7a7a7a"
PAPER = "#fdfdfc"
ACCENT = "#bf5c18"
SERIES = (ACCENT, "#3574b8", "#3d8050", "#8a58ae")
