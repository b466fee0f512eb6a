"""The choice PyTorch | TensorFlow | Both, as a reader meets it."""

import pytest
from built_book import settle

PAGES = "book/01_bottleneck.html", "book/00_ten_minutes.html"
BOXES = {"torch": "PyTorch", "tf": "TensorFlow", "both": "Both"}
# Groups of a page whose choice can be seen: one of folds alone has none, the card's and a solution's are closed.
SEEN = ".fw-tabs:has(.fw-choices:visible)"
SEEN_ON_PAPER = ".fw-tabs:has(> .fw-choices):not(details *)"
FIRST, LAST = f"{SEEN} >> nth=0", f"{SEEN} >> nth=-1"


def shown(tab):
    """What all the groups of the page show: "torch", "tf" or "both"; a set, as they should agree."""
    return set(
        tab.evaluate(
            """() => [...document.querySelectorAll(".fw-tabs")].map((group) => {
              const visible = (key) => group.querySelector(".fw-" + key).offsetHeight > 0;
              const seen = ["torch", "tf"].filter(visible);
              return seen.length === 2 ? "both" : seen[0];
            })"""
        )
    )


def checked(tab):
    """The radio buttons that are on, over all groups and the control at the top."""
    return set(tab.evaluate("[...document.querySelectorAll('.fw-choices input:checked')].map((box) => box.value)"))


def choose(tab, key, group=FIRST):
    tab.locator(group).get_by_role("radio", name=BOXES[key], exact=True).click()


def test_a_link_to_the_other_frameworks_entry_shows_it(visit):
    """By its address, and by a link on the page; what is chosen there is the choice."""
    page = "book/api/kv_cache.html"
    for name, face in (("tf", "tf"), ("torch", "pytorch")):
        with visit(f"{page}?framework={'torch' if name == 'tf' else 'tf'}#attn_course.{face}.KVCache") as tab:
            entry = tab.locator(f"[id='attn_course.{face}.KVCache']")
            entry.wait_for()
            assert 0 <= entry.bounding_box()["y"] < 500
            assert tab.locator(f".fw-choices input[value={name}]").first.is_checked()
    with visit(f"{page}?framework=torch") as tab:
        tab.evaluate("location.hash = 'attn_course.tf.KVCache'")
        tab.locator("[id='attn_course.tf.KVCache']").wait_for()


def test_names_on_the_packages_pages_lead_to_the_chosen_framework(visit):
    """Those of the contents, and of what is said of both."""
    with visit("book/api/window.html?framework=tf") as tab:
        entries = tab.locator("nav.page-toc a:visible")
        names = ["SlidingWindowAttention", "DilatedWindowAttention", "LongformerAttention"]
        assert entries.all_inner_texts()[: len(names)] == names
        assert all(".tf." in one.get_attribute("href") for one in entries.all()[: len(names)])
        tab.locator("details summary", has_text="Formula").first.click()
        tab.locator("details a", has_text="MultiHeadAttention").first.click()
        tab.wait_for_url("**/multi_head.html*#attn_course.tf.MultiHeadAttention")
        tab.locator("[id='attn_course.tf.MultiHeadAttention']").wait_for()
        assert tab.locator(".fw-choices input[value=tf]").first.is_checked()


def test_a_click_sets_all_groups(form_page):
    with form_page() as tab:
        assert shown(tab) == checked(tab) == {"torch"} and "framework=" not in tab.url
        for group in (".fw-page", LAST):
            for key in ("tf", "both", "torch"):
                choose(tab, key, group)
                assert shown(tab) == checked(tab) == {key}
                assert tab.url.endswith(f"?framework={key}")
                assert tab.evaluate("localStorage.getItem('attn-course-framework')") == key


def test_the_clicked_control_stays_where_it_is(form_page):
    with form_page() as tab:
        last = tab.locator(LAST).locator(".fw-choices")
        last.scroll_into_view_if_needed()
        for key in ("both", "tf", "torch"):
            before = last.bounding_box()["y"]
            choose(tab, key, LAST)
            moved = abs(last.bounding_box()["y"] - before)
            # At the end of a page that became shorter the browser can't scroll any further.
            at_end = tab.evaluate("scrollY + innerHeight >= document.documentElement.scrollHeight - 2")
            assert moved < 2 or at_end, (key, moved)


def test_survives_a_reload_holds_on_the_next_page_and_on_the_way_back(visit, address):
    chapter, other = PAGES
    with visit(chapter) as tab:
        choose(tab, "tf")
        tab.reload()
        assert shown(tab) == checked(tab) == {"tf"}
        tab.goto(address + other)
        assert shown(tab) == checked(tab) == {"tf"}
        assert tab.url.endswith("?framework=tf")
        choose(tab, "both")
        tab.go_back()
        settle(tab)
        assert shown(tab) == checked(tab) == {"both"}


def test_the_address_decides(form_page):
    with form_page("?framework=jax") as tab:
        page = tab.url.partition("?")[0]
        assert shown(tab) == checked(tab) == {"torch"}, "an unknown one is ignored"
        for key in ("tf", "both", "torch"):
            choose(tab, "both" if key != "both" else "tf")
            tab.goto(f"{page}?framework={key}#by-hand-two-keys")
            assert shown(tab) == checked(tab) == {key}
        choose(tab, "tf", ".fw-page")
        assert tab.url.endswith("?framework=tf#by-hand-two-keys")


def test_keyboard(form_page):
    with form_page() as tab:
        tab.locator(FIRST).locator("input").first.focus()
        for key in ("tf", "both", "torch"):
            tab.keyboard.press("ArrowRight")
            assert shown(tab) == checked(tab) == {key}
        tab.keyboard.press("ArrowLeft")
        assert shown(tab) == {"both"}
        style = tab.evaluate("getComputedStyle(document.activeElement.nextElementSibling).outlineStyle")
        assert style == "solid"


def test_without_javascript_each_group_chooses_for_itself(form_page):
    with form_page(javascript=False) as tab:
        group = tab.locator(FIRST)
        torch, tf = group.locator(".fw-torch"), group.locator(".fw-tf")
        assert torch.is_visible() and not tf.is_visible()
        choose(tab, "tf")
        assert tf.is_visible() and not torch.is_visible()
        choose(tab, "both")
        assert tf.is_visible() and torch.is_visible()
        assert not tab.locator(".fw-page").is_visible()


def test_without_storage_the_address_carries_the_choice(form_page):
    with form_page() as tab:
        tab.add_init_script(
            """const setItem = Storage.prototype.setItem;
            Storage.prototype.setItem = function (key, value) {
              if (key.startsWith("attn-course")) throw new DOMException("forbidden");
              setItem.call(this, key, value);  // the theme stores its colours
            };"""
        )
        tab.reload()
        choose(tab, "tf")
        tab.reload()
        assert shown(tab) == {"tf"}
        assert [fault for fault in tab.faults if "forbidden" in fault] == []


def panels(tab):
    group = tab.locator(FIRST)
    return group.locator(".fw-torch").bounding_box(), group.locator(".fw-tf").bounding_box()


@pytest.mark.parametrize("width", [1280, 1440])
def test_both_stands_in_two_columns_where_they_fit(form_page, width):
    """On a laptop too: a line of 76 characters has its room, and the side bars step aside."""
    with form_page(width=width) as tab:
        narrow = tab.locator(".bd-article").bounding_box()["width"]
        choose(tab, "both")
        torch, tf = panels(tab)
        assert abs(torch["y"] - tf["y"]) < 2 and tf["x"] >= torch["x"] + torch["width"] - 1
        code = tab.locator(FIRST).locator(".fw-torch .cell_input pre").first
        letters = code.evaluate(
            "(code) => (code.clientWidth - 19.2) / (0.602 * parseFloat(getComputedStyle(code).fontSize))"
        )
        assert min(torch["width"], tf["width"]) > 600 and letters > 75.5
        assert tab.locator(".bd-article").bounding_box()["width"] > narrow
        assert not tab.locator(".bd-sidebar-primary").is_visible()
        assert not tab.locator(".bd-sidebar-secondary").is_visible()
        assert tab.locator(".bd-header-article .search-button").first.is_visible()
        tab.locator(".secondary-toggle").first.click()  # the contents wait behind a button, as on a telephone
        tab.locator("dialog.bd-sidebar-secondary a").first.wait_for(state="visible")
        tab.keyboard.press("Escape")
        tab.locator(".primary-toggle").first.click()
        tab.locator(".bd-sidebar-primary").wait_for(state="visible")  # the theme's button brings it back
        choose(tab, "both", ".fw-page")
        choose(tab, "tf")
        assert tab.locator(".bd-sidebar-primary").is_visible()


@pytest.mark.parametrize("width", [390, 1200])
def test_both_is_stacked_elsewhere(form_page, width):
    """And the side bars stay where they are, until the window is as wide as two columns."""
    with form_page(width=width) as tab:
        group, bars = tab.locator(FIRST), tab.locator(".bd-sidebar-primary, .bd-sidebar-secondary")
        assert group.locator(".fw-torch").is_visible() and not group.locator(".fw-tf").is_visible()
        choose(tab, "both", ".fw-page")
        torch, tf = panels(tab)
        assert tf["y"] >= torch["y"] + torch["height"] and abs(tf["x"] - torch["x"]) < 2
        assert group.locator(".fw-name").all_inner_texts() == ["PyTorch", "TensorFlow"]
        if width == 1200:
            assert [bar.is_visible() for bar in bars.all()] == [True, True]
            tab.set_viewport_size({"width": 1280, "height": 900})
            bars.first.wait_for(state="hidden")
            tab.set_viewport_size({"width": 1200, "height": 900})
            bars.first.wait_for(state="visible")


def test_the_choice_is_printed(form_page):
    with form_page() as tab:
        for key in BOXES:
            tab.emulate_media(media="screen")
            choose(tab, key, ".fw-page")
            tab.emulate_media(media="print")
            panels = {name: tab.locator(f"{SEEN_ON_PAPER} .fw-{name}").first.is_visible() for name in ("torch", "tf")}
            assert panels == {"torch": key != "tf", "tf": key != "torch"}
            assert not tab.locator(".fw-choices").first.is_visible()
            assert tab.locator(f"{SEEN_ON_PAPER} .fw-name").first.is_visible() is (key == "both")


@pytest.mark.parametrize("key", ["torch", "tf"])
def test_a_page_of_the_package_follows_the_choice(visit, key):
    with visit(f"book/api/multi_head.html?framework={key}") as tab:
        assert shown(tab) == checked(tab) == {key}
        face = {"torch": "pytorch", "tf": "tf"}[key]
        assert tab.locator(f"[id='attn_course.{face}.MultiHeadAttention']").is_visible()
        assert tab.locator("[id='attn_course.reference.multi_head_attention']").is_visible()


def test_pages_without_tabs_have_no_control(visit):
    with visit("book/glossary.html?framework=both") as tab:
        assert tab.locator(".fw-choices").count() == 0
        assert tab.locator(".bd-sidebar-primary").is_visible()
