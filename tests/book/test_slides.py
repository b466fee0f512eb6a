"""Slides from a page: what becomes a slide, what stays in the book, and that nothing comes from another host."""

import pytest
import slides
from bs4 import BeautifulSoup

ARTICLE = """
<article><section id="top"><h1>A chapter<a class="headerlink" href="#top">#</a></h1>
<p class="claims">✓ 3 claims</p><p>What you will do, see <a href="02_x.html#y">there</a>.</p>
<section id="problem"><h2>The problem: it fails<a class="headerlink" href="#problem">#</a></h2>
<p>First words.</p>
<div class="cell tag_hide-input"><div class="cell_output"><figure id="f"><svg class="drawn" viewBox="0 0 2 1">
<linearGradient id="g"/></svg><figcaption>Fig. 1 It falls.</figcaption></figure></div></div>
<p>More words, which <strong>go on. And on</strong>. Then the end.</p>
<div class="math notranslate nohighlight" id="equation-eq"><span class="eqno">(1)</span>\\[ x \\]</div>
<div class="cell tag_check folded"><details class="fold"><summary>Checked: x</summary>assert</details></div>
<details class="sd-dropdown"><summary>Question: why?</summary><p>Because.</p></details>
<div class="cell"><div class="cell_input"><div class="highlight"><pre>x = 1\nprint(x)\n</pre></div></div>
<div class="cell_output"><div class="output stream highlight"><pre>1\n</pre></div></div></div>
<div class="cell"><div class="cell_input"><pre>LONG</pre></div></div>
<div class="fw-tabs"><div class="fw-panels">
<div class="fw-panel fw-torch"><p class="fw-name">PyTorch</p>
<div class="cell tag_tab-torch"><div class="cell_input"><pre>t</pre></div></div></div>
<div class="fw-panel fw-tf"><p class="fw-name">TensorFlow</p>
<div class="cell tag_tab-tf"><div class="cell_input"><pre>f</pre></div></div></div>
</div></div>
</section>
<section id="exercises"><h2>Exercises: two</h2><section><h3>Exercise 1: a &lt; b</h3>
<div class="cell tag_solution folded">SECRET</div></section></section>
</section></article>
"""


@pytest.fixture
def deck():
    page = ARTICLE.replace("LONG", "\n".join(["y = 1"] * 40))
    return slides.Deck(BeautifulSoup(page, "html.parser").article)


def test_what_is_shown_and_what_stays_in_the_book(deck):
    assert deck.title == "A chapter"
    text = deck.html()
    for shown in ("Fig. 1 It falls.", "\\[ x \\]", "Question: why?", "x = 1", "PyTorch", "TensorFlow", "a &lt; b"):
        assert shown in text
    for hidden in ("claims", "Checked", "assert", "Because.", "y = 1", "SECRET", "headerlink", "eqno"):
        assert hidden not in text
    assert [len(column) for column in deck.columns] == [1, 5, 1]


def test_the_prose_is_in_the_notes(deck):
    notes = " ".join(text for column in deck.columns for slide in column for text in slide["notes"])
    assert "First words." in notes and "Then the end." in notes


def test_links_into_the_book_are_words_and_pictures_keep_their_names(deck):
    text = deck.html()
    assert "02_x.html" not in text and "there" in text
    assert 'viewBox="0 0 2 1"' in str(BeautifulSoup(text, "html.parser")) or "viewbox" in text
    assert 'id="equation-eq"' not in text


def test_a_sentence_is_not_cut_in_an_emphasis():
    paragraph = BeautifulSoup("<p>One <strong>two. Three</strong> four. Five six.</p>", "html.parser").p
    assert slides.shortened(paragraph, 1) == "One <strong>two. Three</strong> four."


def test_a_page_that_is_missing_is_named(form, capsys):
    assert slides.main(["--root", str(form), "02"]) == 1
    assert "02_average.html is not there: run make book" in capsys.readouterr().err
