"""The picture that a link to the book shows elsewhere: book/_static/card.png, 1200 by 630, with the first figure.

python tools/card.py
"""

import re
import sys

from browser import chromium
from publisher import ROOT

PAGE = """\
<!doctype html>
<style>
body {{ margin: 0; width: 1200px; height: 630px; background: #fdfdfc; color: #1c1f24;
  font-family: "DejaVu Sans", sans-serif; display: flex; flex-direction: column; justify-content: center }}
h1 {{ font-size: 54px; letter-spacing: -1px; line-height: 1.1; margin: 0 70px 8px }}
p {{ font-size: 26px; margin: 0 70px; color: #5a616b }}
svg {{ width: 1060px; height: 300px; margin: 26px 70px 0; fill: #555b64 }}
</style>
<h1>Attention, mechanism by mechanism</h1>
<p>A course in PyTorch and TensorFlow, side by side; the code it teaches is tested</p>
{figure}
"""


def main() -> int:
    text = (ROOT / "book" / "intro.md").read_text(encoding="utf-8")
    figure = re.search(r"(?s)<svg.*?</svg>", text)[0]
    figure = re.sub(r'viewBox="[^"]*" width="\d+" fill="[^"]*"', 'viewBox="0 10 394 110"', figure)
    figure = re.sub(r"var\(--[\w-]+, (#\w+)\)", r"\1", figure)
    with chromium() as browser:
        tab = browser.new_page(viewport={"width": 1200, "height": 630})
        tab.set_content(PAGE.format(figure=figure))
        tab.screenshot(path=ROOT / "book" / "_static" / "card.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
