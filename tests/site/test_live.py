"""Models that compute in the page: their numbers are PyTorch's and TensorFlow's, and what is typed stays there."""

import html
import re
from contextlib import contextmanager
from itertools import product

import numpy as np
import pytest
from live_answers import (
    CACHES,
    CATS,
    FACES,
    INPUTS,
    PROMPTS,
    READERS,
    WRITERS,
    answer,
    behind,
    ended,
    known,
    pieces,
    read,
    read_of,
)
from test_keyboard import unseen
from test_pages import COLORS, too_wide, violations
from widget_figures import build_site, frame

from attn_course.course.plots.live import live_dates, live_reader, live_translate, live_writer, script
from attn_course.course.plots.live.weights import size
from attn_course.tasks import pronoun

NEEDS_BOOK = False  # says conftest.py
MAKERS = {make.__name__: make for make in (live_dates, live_reader, live_translate, live_writer)}
TEXTS = {**INPUTS, "live_reader": CATS, "live_writer": PROMPTS}
CLOSE = 5e-5  # of logits and weights; measured: 2e-5
FIGURE = "(w) => w.shadowRoot.querySelector('.ui').figure"
POLICY = "default-src 'none'; script-src 'unsafe-inline'; style-src 'unsafe-inline'; img-src data:"
ON_SITE = (
    "script-src 'self' 'unsafe-inline'; connect-src 'none'; form-action 'none'; frame-src 'none'; object-src 'none'"
)
DAMAGED = "".join(f"attnWeights('{name}', {{}});" for name in ("dates", "reader", "sentences", "glassllm"))
EACH = pytest.mark.parametrize("kind", list(MAKERS))


@pytest.fixture(scope="session")
def site(tmp_path_factory):
    made = {kind: {"live": make(alt=f"a picture of {kind}")} for kind, make in MAKERS.items()}
    return build_site(tmp_path_factory.mktemp("live"), made)


@pytest.fixture
def live(visit):
    """Opens a figure and loads its model: `with live("live_dates") as (tab, figure)`."""

    @contextmanager
    def opened(kind, **options):
        with visit(f"{kind}.html", **options) as tab:
            figure = load(tab)
            yield tab, figure
            assert tab.faults == []

    return opened


def load(tab, within=None):
    figure = (within or tab).locator(".attn-widget")
    figure.get_by_role("button", name="Load the model").click()
    figure.get_by_role("textbox").wait_for()
    return figure


def state(figure, what):
    """What an expression over the figure's model and state gives: plain lists."""
    lists = "const lists = (rows) => rows.map((row) => [...row]);"
    return figure.evaluate(f"(w) => {{ {lists} const {{ model, state }} = ({FIGURE})(w); return {what}; }}")


def steps_of(figure):
    each = "({ token, logits, weights }) => ({ token, logits: [...logits], weights: plain(weights) })"
    plain = "const plain = (x) => Array.isArray(x) ? x.map((row) => [...row]) : [...x];"
    return figure.evaluate(f"(w) => {{ {plain} return ({FIGURE})(w).state.steps.map({each}); }}")


# --- The numbers are the package's ------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", list(INPUTS))
def test_twenty_inputs_are_answered_as_by_pytorch_and_tensorflow(live, kind):
    answered = 0
    with live(kind) as (_, figure):
        for text in INPUTS[kind]:
            figure.get_by_role("textbox").fill(text)
            assert state(figure, "model.pieces(state.text)") == pieces(kind, text)
            steps = steps_of(figure)
            if not pieces(kind, text):
                assert steps == [] and figure.locator(".read").text_content().startswith("Type a ")
                continue
            answered += 1
            tokens = [step["token"] for step in steps]
            assert ended(kind, tokens), text
            for name, face in FACES.items():
                logits, weights = answer(kind, face, text, tokens)
                assert logits.argmax(-1).tolist() == tokens, (name, text)
                assert np.abs(np.array([step["logits"] for step in steps]) - logits).max() < CLOSE, (name, text)
                shown = np.array([step["weights"] for step in steps])
                shown = shown if shown.ndim == 2 else shown.swapaxes(0, 1)
                assert np.abs(shown - weights).max() < CLOSE, (name, text)
            assert figure.locator(".stage .tok").count() == len(tokens)
            assert figure.locator(".note").text_content().startswith("Least sure step: ")
    assert answered >= 17


def test_twenty_sentences_are_read_as_by_pytorch_and_tensorflow(live):
    answered = 0
    with live("live_reader") as (_, figure):
        for text in CATS:
            figure.get_by_role("textbox").fill(text)
            words = known(text)
            assert state(figure, "model.pieces(state.text)") == words
            if not words:
                assert figure.locator(".read").text_content() == "Type a sentence of the words that it knows."
                assert figure.locator(".stage .tok").count() == 0
                continue
            answered += 1
            found = state(figure, "{ copied: lists(state.copied), layers: state.layers.map(lists) }")
            for name, twin in READERS.items():
                copied, layers = read(twin, words)
                assert np.abs(np.array(found["copied"]) - copied).max() < CLOSE, (name, text)
                assert np.abs(np.array(found["layers"]) - layers).max() < CLOSE, (name, text)
            asks = words.index("it") if "it" in words else len(words) - 1
            most = pronoun.WORDS[copied[asks].argmax()]
            answer = figure.locator("span:has(> .answer)").text_content()
            assert answer.startswith(f"“{words[asks]}” copies {most} "), text
            assert ("There is no “it”" in figure.locator(".note").first.text_content()) == ("it" not in words)
    assert answered >= 9


@pytest.mark.parametrize("groups, cache", list(product((2, 1), CACHES)))
def test_prompts_are_continued_as_by_pytorch_and_tensorflow(live, groups, cache):
    """All twenty with everything kept and two heads; one that is longer than a window with the five other caches."""
    whole = (groups, cache) == (2, "everything")
    with live("live_writer") as (tab, figure):
        figure.get_by_role("slider", name="temperature").fill("0")
        figure.get_by_text("2, as trained" if groups == 2 else "1, their mean").click()
        figure.get_by_text(cache, exact=True).click()
        for prompt in PROMPTS if whole else [PROMPTS[17]]:
            figure.get_by_role("textbox").fill(prompt)
            if not prompt:
                figure.get_by_role("button", name="One token").click()
                assert figure.locator(".read").text_content() == "Type the beginning of a text."
                assert figure.locator(".word").count() == 0
                continue
            prompted = read_of(prompt)
            settled(tab, figure, len(prompted), groups)
            for more in range(1, 5):
                figure.get_by_role("button", name="One token").click()
                settled(tab, figure, len(prompted) + more, groups)
            tokens, shown = figure.evaluate(
                f"(w) => {{ const {{ tokens, steps }} = ({FIGURE})(w).state;"
                " return [tokens, steps.slice(-5).map(({ logits }) => [...logits])]; }"
            )
            assert tokens[:-4] == prompted
            for name, twin in WRITERS.items():
                logits = behind(twin, tokens, groups, cache, 5)
                assert logits[:-1].argmax(-1).tolist() == tokens[-4:], (name, prompt)
                assert np.abs(np.array(shown) - logits).max() < CLOSE, (name, prompt)
            kept = len(tokens) if cache == "everything" else min(32, len(tokens))
            each = 2 * 4 * groups * 32 * 4
            facts = figure.locator("dd").all_text_contents()
            assert facts[1:] == [f"{kept}", f"{kept * each / 1024:,.0f} KiB", f"{each:,} bytes"]


def until(tab, figure, condition):
    """Waits for what an expression says of the element w, its figure f and that one's state s."""
    said = f"(w) => {{ const f = ({FIGURE})(w), s = f.state; return {condition}; }}"
    tab.wait_for_function(said, arg=figure.element_handle())


def settled(tab, figure, count, groups):
    shown = f"w.shadowRoot.querySelectorAll('.word').length === {count}"
    until(tab, figure, f"s.tokens.length === {count} && f.model().G === {groups} && {shown}")


UNKNOWN = {
    "live_translate": {
        "Die Katze liebt den Staubsauger.": "not among those that it learned, so it has to guess: Staubsauger.",
        "der Hund " * 60: "It reads the first 40 only.",
    },
    "live_dates": {"猫 mai 2014": "Never seen in training: 猫."},
    "live_reader": {
        "Die Katze drank the milk because it was thirsty": "Not among its words, so left out: die katze.",
        "it was milk " * 20: "It reads the first 24 words only.",
        "it": "It knows 36 words: the because it was drank",
    },
    "live_writer": {
        "Alice saw 猫": "Characters that it never saw: 猫.",
        "Alice was beginning " * 200: "It reads the first 320 of ",
    },
}


@EACH
def test_what_was_not_learned_gets_a_sentence(live, kind):
    with live(kind) as (_, figure):
        for text, said in UNKNOWN[kind].items():
            figure.get_by_role("textbox").fill(text)
            assert said in " ".join(figure.locator(".note").all_text_contents()), text


# --- What the reader does ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", list(INPUTS))
def test_overruled_it_writes_on_from_there(live, kind):
    with live(kind) as (_, figure):
        own = [step["token"] for step in steps_of(figure)]
        figure.get_by_role("button", name="Write instead").first.click()
        other = [step["token"] for step in steps_of(figure)]
        assert other[0] != own[0] and figure.locator(".forced").count() == 1
        assert "would write" in figure.locator(".read").text_content()
        figure.get_by_role("button", name="Undo").click()
        assert [step["token"] for step in steps_of(figure)] == own


def test_each_head_has_its_own_weights(live):
    with live("live_translate") as (_, figure):
        figure.get_by_role("radio", name="3", exact=True).check()
        weights = steps_of(figure)[0]["weights"][2]
        place = int(np.argmax(weights))
        assert (
            f"in head 3: “{state(figure, 'model.pieces(state.text)')[place]}” at {place + 1}: {weights[place]:.2f}"
            in (figure.locator(".read").text_content())
        )


def test_another_cache_reads_the_same_text_again(live):
    """The window, switched in the middle of a read, keeps the text; the loss of both stands below."""
    with live("live_writer") as (tab, figure):
        figure.get_by_role("button", name="a page of the book").click()
        until(tab, figure, "s.tokens.length > 40")
        figure.get_by_text("last 32", exact=True).click()
        until(tab, figure, "s.plan.length > 250 && s.tokens.length === s.plan.length")
        figure.locator(".chart").wait_for()
        assert figure.locator("dd").nth(1).text_content() == "32" and figure.locator(".word.gone").count() > 200
        figure.get_by_text("everything", exact=True).click()
        figure.locator(".legend span", has_text="everything").wait_for()
        told = " ".join(figure.locator(".legend").all_text_contents())
        loss = {name: float(value) for name, value in re.findall(r"(everything|last 32), 2 KV heads: ([\d.]+)", told)}
        # Beyond the 128 tokens of its training the window saves it.
        assert loss["everything"] > loss["last 32"] + 0.5


def test_a_switch_while_it_writes_reads_all_that_is_written(live):
    """A text so long that it is read in slices: the writing that is left behind must not end that."""
    with live("live_writer") as (tab, figure):
        figure.get_by_role("button", name="a page of the book").click()
        until(tab, figure, "s.steps.length > 250 && s.chosen > 250")
        count = state_of(figure, "plan.length")
        figure.get_by_role("button", name="Write on").click()
        until(tab, figure, f"s.steps.length > {count + 3} && s.chosen > {count + 3}")
        figure.get_by_text("1, their mean").click()
        until(tab, figure, "s.steps.length === s.plan.length && s.chosen === s.plan.length - 1 && f.model().G === 1")
        assert figure.get_by_role("button", name="Write on").is_visible()
        assert figure.locator("dd").nth(2).text_content() == f"{state_of(figure, 'plan.length')} KiB"


def state_of(figure, what):
    return figure.evaluate(f"(w) => ({FIGURE})(w).state.{what}")


def test_keys_reach_all_and_the_site_s_keys_leave_the_field_alone(live):
    with live("live_dates") as (tab, figure):
        tab.keyboard.type(
            "04/07/1999"
        )  # the field has the focus, its text is chosen; "/" opens the site's search elsewhere
        assert figure.get_by_role("textbox").input_value() == "04/07/1999"
        for _ in range(6):  # five examples, then what is written
            tab.keyboard.press("Tab")
        tab.keyboard.press("ArrowDown")
        assert figure.locator(".read").text_content().startswith("Step 2 of 11")
        until(tab, figure, "/ Step 2 of 11/.test(w.shadowRoot.querySelector('[role=status]').textContent)")
        tab.keyboard.press("Tab")
        tab.keyboard.press("Enter")
        assert figure.locator(".forced").count() == 1
        assert tab.evaluate("document.activeElement.shadowRoot.activeElement.type") == "radio"


def pressed(tab, *keys):
    for key in keys:
        name, _, times = key.partition("*")
        for _ in range(int(times or 1)):
            tab.keyboard.press(name)


def focused(tab):
    """Name and kind of what has the focus in the figure."""
    one = "const one = document.activeElement.shadowRoot.activeElement;"
    return tab.evaluate(f"() => {{ {one} return `${{one.type}} ${{one.ariaLabel ?? ''}}`.trim(); }}")


def test_by_keyboard_a_translation_and_its_heads(live):
    with live("live_translate") as (tab, figure):
        assert focused(tab) == "text"
        pressed(tab, "Tab*2", "Enter")  # the second example
        assert figure.get_by_role("textbox").input_value() == "Der Hund sieht den Mann."
        pressed(tab, "Tab*4")
        assert focused(tab) == "radio 1"
        pressed(tab, "ArrowRight*2")
        assert focused(tab) == "radio 3" and "in head 3:" in figure.locator(".read").text_content()
        pressed(tab, "Tab", "ArrowDown*2")
        assert figure.locator(".read").text_content().startswith("Step 3 of ")
        pressed(tab, "Tab", "Enter")
        assert figure.locator(".forced").count() == 1 and focused(tab).endswith("step 3")


def test_by_keyboard_a_sentence_and_its_layers(live):
    with live("live_reader") as (tab, figure):
        tab.keyboard.type("/ the milk wanted the cat because it was tired")
        assert figure.get_by_role("textbox").input_value()[0] == "/"
        assert figure.locator(".answer").text_content().startswith("cat ")
        pressed(tab, "Tab*6", "ArrowLeft")
        assert focused(tab) == "radio first" and figure.locator(".read").text_content().startswith("In the first layer")
        pressed(tab, "Tab", "ArrowUp")
        assert focused(tab) == "radio because, word 6"
        assert figure.locator(".read").text_content().startswith("In the first layer “because” looks at ")
        pressed(tab, "Shift+Tab", "ArrowRight")
        assert figure.locator(".read").text_content().startswith("In the second layer “because” looks at ")


def test_by_keyboard_everything_of_the_writer(live):
    with live("live_writer") as (tab, figure):
        settled(tab, figure, 5, 2)
        assert focused(tab) == "textarea"
        tab.keyboard.type("The Queen / said")
        assert "The Queen / said" in figure.get_by_role("textbox").input_value()
        pressed(tab, "Tab*3")
        assert focused(tab) == "button Prompt: a page of the book"
        pressed(tab, "Shift+Tab*2", "Enter")  # the first prompt
        assert focused(tab) == "button Prompt: Alice"
        settled(tab, figure, 5, 2)
        pressed(tab, "Tab*4", "Enter*2")
        assert focused(tab) == "button One token"
        settled(tab, figure, 7, 2)
        pressed(tab, "Shift+Tab", "Enter")
        until(tab, figure, "s.tokens.length > 9")
        assert focused(tab) == "button Stop"
        pressed(tab, "Enter")
        assert focused(tab) == "button Write on"
        assert state_of(figure, "tokens.length") < 60
        pressed(tab, "Tab*2", "Enter")
        assert focused(tab) == "button Back to the prompt"
        settled(tab, figure, 5, 2)
        pressed(tab, "Tab", "Home")
        assert focused(tab) == "range temperature" and state_of(figure, "temperature") == 0
        pressed(tab, "Tab", "ArrowRight")
        assert focused(tab) == "radio last 32"
        pressed(tab, "Tab", "ArrowRight")
        assert focused(tab) == "radio 1, their mean"
        settled(tab, figure, 5, 1)
        pressed(tab, "Tab", "ArrowUp")
        assert focused(tab).endswith(", token 4") and "(4 of 5)" in figure.locator(".read").text_content()
        pressed(tab, "Tab", "ArrowRight")
        assert focused(tab) == "radio 2" and "in layer 2, head 1" in figure.locator(".read").text_content()
        pressed(tab, "Tab", "ArrowDown")
        assert focused(tab) == "radio head 2" and "in layer 2, head 2" in figure.locator(".read").text_content()


def test_the_live_region_speaks_when_the_text_is_done_not_per_token(live):
    with live("live_writer") as (tab, figure):
        settled(tab, figure, 5, 2)
        tab.wait_for_timeout(500)
        figure.evaluate(
            "(w) => { const region = w.shadowRoot.querySelector('[role=status]'); w.said = [];"
            " new MutationObserver(() => w.said.push(region.textContent)).observe(region, { childList: true }); }"
        )
        figure.get_by_role("button", name="Write on").click()
        settled(tab, figure, 65, 2)
        until(tab, figure, "w.said.length > 0")
        tab.wait_for_timeout(500)
        (text,) = figure.evaluate("(w) => w.said")
        assert text.startswith("Written: ")


def test_nothing_moves_for_who_asked_for_that(live):
    with live("live_writer") as (tab, figure):
        motion = "(w) => getComputedStyle(w.shadowRoot.querySelector('.gauge i')).transitionDuration"
        assert figure.evaluate(motion) == "0s"
        tab.emulate_media(reduced_motion="no-preference")
        assert figure.evaluate(motion) != "0s"


@EACH
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_accessible_no_wider_than_a_telephone_and_the_focus_is_seen(visit, kind, scheme):
    widths = (320, 390, 1280)
    with visit(f"{kind}.html", scheme=scheme) as tab:

        def look():
            for width in widths:
                tab.set_viewport_size({"width": width, "height": 900})
                assert violations(tab, *(COLORS if scheme == "dark" else ())) == [] and too_wide(tab) == [], width

        look()
        figure = load(tab)
        if kind == "live_writer":
            settled(tab, figure, 5, 2)
        assert figure.locator(".ui[data-dark]").count() == (scheme == "dark")
        look()
        assert unseen(tab, 15, ".attn-widget") == []
        figure.get_by_role("textbox").fill(TEXTS[kind][9])  # the long one
        for width in widths:
            tab.set_viewport_size({"width": width, "height": 900})
            assert too_wide(tab) == [], width


# --- Loading: on a click, from beside the page ------------------------------------------------------------------------


@EACH
def test_nothing_is_loaded_before_the_click_and_the_button_says_how_much(visit, kind, site):
    name, text = script(kind)
    assert (site / "_static" / "live" / name).read_text(encoding="utf-8") == text and len(text.encode()) < 2_000_000
    with visit(f"{kind}.html") as tab:
        tab.wait_for_load_state("networkidle")
        assert not [url for url in tab.requests if "weights" in url]
        assert tab.locator(".attn-widget > img").is_visible()
        told = f"Load the model ({size(kind)}) and type"
        assert tab.get_by_role("button", name="Load the model").text_content() == told
        load(tab)
        assert [url for url in tab.requests if name in url] and not tab.locator(".attn-widget > img").is_visible()


@EACH
@pytest.mark.parametrize("answered", [None, DAMAGED])
def test_without_its_file_it_stays_a_picture_until_the_next_try(visit, kind, answered):
    with visit(f"{kind}.html") as tab:

        def fail(route):
            route.fulfill(body=answered, content_type="text/javascript") if answered else route.abort()

        tab.route("**/*.weights.js*", fail)
        figure = tab.locator(".attn-widget")
        figure.get_by_role("button", name="Load the model").click()
        figure.get_by_role("alert").wait_for()
        assert figure.locator("img").is_visible() and figure.get_by_role("textbox").count() == 0
        tab.unroute("**/*.weights.js*")
        figure.get_by_role("button", name="Try again").click()
        figure.get_by_role("textbox").wait_for()


@EACH
def test_without_javascript_and_in_print_it_is_a_picture(visit, kind):
    with visit(f"{kind}.html", javascript=False) as tab:
        picture = tab.locator(".attn-widget img")
        assert (
            picture.is_visible() and picture.get_attribute("alt") and picture.evaluate("(one) => one.naturalWidth > 0")
        )
    with visit(f"{kind}.html") as tab:
        tab.emulate_media(media="print")
        assert tab.locator(".attn-widget > img").is_visible()
        assert not tab.get_by_role("button", name="Load the model").is_visible()
        tab.emulate_media(media="screen")
        figure = load(tab)
        tab.emulate_media(media="print")
        assert tab.locator(".attn-widget > img").is_visible() and not figure.locator(".ui").is_visible()


# --- What is typed stays in the page ----------------------------------------------------------------------------------


@EACH
def test_inline_it_works_in_a_frame_that_may_reach_nothing(visit, site, kind):
    """As Colab shows outputs: another origin, scripts alone; the policy refuses every host, this one too."""
    made = frame(MAKERS[kind](alt="a picture", inline=True)._repr_html_())
    inner = made.replace("<head>", f'<head><meta http-equiv="Content-Security-Policy" content="{POLICY}">')
    held = f'<iframe title="one" sandbox="allow-scripts" srcdoc="{html.escape(inner)}" width="800"></iframe>'
    page = f'<html lang="en"><link rel="icon" href="data:,">{held}'
    (site / f"frame-{kind}.html").write_text(page, encoding="utf-8")
    with visit(f"frame-{kind}.html") as tab:
        figure = load(tab, tab.frame_locator("iframe"))
        figure.get_by_role("textbox").fill("Der Hund 7 was it the cat")
        figure.locator(".stage .tok, .word").nth(2).wait_for()
        assert [url for url in tab.requests if not url.startswith(("data:", "about:"))] == [tab.url]
        assert tab.faults == []


@EACH
def test_on_the_site_nothing_is_sent_or_stored(visit, kind):
    watch = "addEventListener('securitypolicyviolation', (event) => (window.refused ??= []).push(event.blockedURI))"
    kept = (
        "() => [document.cookie, JSON.stringify(localStorage), JSON.stringify(sessionStorage), window.refused ?? null]"
    )
    with visit("plain.html") as tab:

        def guarded(route):
            answer = route.fetch()
            route.fulfill(response=answer, headers={**answer.headers, "Content-Security-Policy": ON_SITE})

        tab.route(f"**/{kind}.html", guarded)
        tab.add_init_script(watch)
        tab.goto(tab.url.replace("plain", kind))
        figure = load(tab)
        before, asked = tab.evaluate(kept), len(tab.requests)
        figure.get_by_role("textbox").fill("geheim 7 was it the cat")
        figure.locator(".stage .tok, .word").nth(2).wait_for()
        assert tab.evaluate(kept) == before and before[-1] is None
        assert [url for url in tab.requests[asked:] if not url.startswith("data:")] == []
        assert "geheim" not in "".join(tab.requests) and tab.faults == []
