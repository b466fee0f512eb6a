"""How long the pages of the built book are, in each framework, and the minutes that they take.

python tools/reading_time.py [NAME ...]     all pages, or those whose names begin with NAME

words    what is seen with every fold shut, code and exercises counted, guesses passed over
whole    the same with every fold open
folds    titles of folds that take a line, before the exercises
minutes  200 words of prose a minute, 100 of code, without exercises and "More"
told     the minutes at the page's head
"""

import sys

from browser import chromium, served
from screenshots import SITE, pages

PASS_OVER = "document.querySelectorAll('.guess-waits button').forEach((skip) => skip.click())"
LENGTHS = """() => {
  const page = document.querySelector(".bd-article"), count = (one) => (one?.innerText.match(/\\S+/g) ?? []).length;
  const exercises = page.querySelector("section[id^=exercises]"), summary = page.querySelector("section[id^=summary]");
  const before = (one) => one.checkVisibility() && (!exercises || exercises.compareDocumentPosition(one) & 2);
  const code = [...page.querySelectorAll(".cell_input pre")].filter((one) => before(one) || summary?.contains(one));
  const titles = [...page.querySelectorAll("summary")].filter((one) => before(one) && count(one) > 1);
  const words = count(page), coded = code.reduce((sum, one) => sum + count(one), 0);
  const prose = words - count(exercises) - count(page.querySelector("section.more")) - coded;
  const told = page.innerText.match(/(\\d+) minutes to read/);
  const shut = [...page.querySelectorAll("details:not([open])")];
  for (const one of shut) one.open = true;
  const whole = count(page);
  for (const one of shut) one.open = false;
  return {words, whole, folds: titles.length, minutes: prose / 200 + coded / 100, told: told && +told[1]};
}"""


def lengths(tab) -> dict:
    """Of the page that a tab shows, in the framework that it shows."""
    tab.evaluate(PASS_OVER)
    return tab.evaluate(LENGTHS)


def main(selected: list[str]) -> int:
    with served(SITE) as address, chromium() as browser:
        tab = browser.new_page()
        for page in pages(selected):
            for framework in ("torch", "tf"):
                tab.goto(f"{address}{page.relative_to(SITE)}?framework={framework}")
                tab.wait_for_load_state("load")
                found = ", ".join(f"{name} {value or 0:.0f}" for name, value in lengths(tab).items())
                print(f"{page.stem} {framework}: {found}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
