"""The choice PyTorch | TensorFlow | Both, as a reader meets it."""

import pytest
from built_book import SITE, settle

PAGES = [
    str(path.relative_to(SITE))
    for path in sorted(SITE.glob("book/*.html"))
    if 'class="fw-tabs"' in path.read_text(encoding="utf-8")
]
BOXES = {"torch": "PyTorch", "tf": "TensorFlow", "both": "Both"}
# Groups of a page whose choice can be seen: one of folds alone has none, the card's and a solution's are closed.
SEEN = ".fw-tabs:has(.fw-choices:visible)"
FIRST, LAST = f"{SEEN} >> nth=0", f"{SEEN} >> nth=-1"


@pytest.fixture
def chapter():
    assert PAGES, "no page of the book shows code in both frameworks"
    return PAGES[-1]


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


def test_begins_with_pytorch(visit, chapter):
    with visit(chapter) as tab:
        assert shown(tab) == checked(tab) == {"torch"}
        assert "framework=" not in tab.url


@pytest.mark.parametrize("key", ["tf", "both"])
@pytest.mark.parametrize("group", [".fw-page", LAST])
def test_a_click_sets_all_groups(visit, chapter, key, group):
    with visit(chapter) as tab:
        choose(tab, key, group)
        assert shown(tab) == checked(tab) == {key}
        assert tab.url.endswith(f"?framework={key}")
        assert tab.evaluate("localStorage.getItem('attn-course-framework')") == key
        choose(tab, "torch", group)
        assert shown(tab) == checked(tab) == {"torch"}


def test_the_clicked_control_stays_where_it_is(visit, chapter):
    with visit(chapter) as tab:
        last = tab.locator(LAST).locator(".fw-choices")
        last.scroll_into_view_if_needed()
        for key in ("both", "tf", "torch"):
            before = last.bounding_box()["y"]
            choose(tab, key, LAST)
            moved = abs(last.bounding_box()["y"] - before)
            # At the end of a page that became shorter the browser can't scroll any further.
            at_end = tab.evaluate("scrollY + innerHeight >= document.documentElement.scrollHeight - 2")
            assert moved < 2 or at_end, (key, moved)


def test_survives_a_reload_and_holds_on_the_next_page(visit, chapter, address):
    with visit(chapter) as tab:
        choose(tab, "tf")
        tab.reload()
        assert shown(tab) == checked(tab) == {"tf"}
        tab.goto(address + PAGES[0])
        assert shown(tab) == checked(tab) == {"tf"}
        assert tab.url.endswith("?framework=tf")


@pytest.mark.parametrize("key", list(BOXES))
def test_the_address_decides(visit, chapter, address, key):
    with visit(chapter) as tab:
        choose(tab, "both" if key != "both" else "tf")
        tab.goto(f"{address}{chapter}?framework={key}")
        assert shown(tab) == checked(tab) == {key}


def test_an_unknown_framework_in_the_address_is_ignored(visit, chapter):
    with visit(f"{chapter}?framework=jax") as tab:
        assert shown(tab) == checked(tab) == {"torch"}


def test_the_anchor_stays_in_the_address(visit, chapter):
    with visit(f"{chapter}#the-code") as tab:
        choose(tab, "tf", ".fw-page")
        assert tab.url.endswith("?framework=tf#the-code")


def test_the_way_back_keeps_the_last_choice(visit, chapter, address):
    with visit(chapter) as tab:
        choose(tab, "torch", ".fw-page")
        choose(tab, "tf", ".fw-page")
        tab.goto(address + PAGES[0] + "?again")
        choose(tab, "both")
        tab.go_back()
        settle(tab)
        assert shown(tab) == checked(tab) == {"both"}


def test_keyboard(visit, chapter):
    with visit(chapter) as tab:
        tab.locator(FIRST).locator("input").first.focus()
        for key in ("tf", "both", "torch"):
            tab.keyboard.press("ArrowRight")
            assert shown(tab) == checked(tab) == {key}
        tab.keyboard.press("ArrowLeft")
        assert shown(tab) == {"both"}


def test_focus_can_be_seen(visit, chapter):
    with visit(chapter) as tab:
        tab.locator(FIRST).locator("input").first.focus()
        tab.keyboard.press("ArrowRight")
        style = tab.evaluate("getComputedStyle(document.activeElement.nextElementSibling).outlineStyle")
        assert style == "solid"


def test_without_javascript_each_group_chooses_for_itself(visit, chapter):
    with visit(chapter, javascript=False) as tab:
        group = tab.locator(FIRST)
        torch, tf = group.locator(".fw-torch"), group.locator(".fw-tf")
        assert torch.is_visible() and not tf.is_visible()
        choose(tab, "tf")
        assert tf.is_visible() and not torch.is_visible()
        choose(tab, "both")
        assert tf.is_visible() and torch.is_visible()
        assert not tab.locator(".fw-page").is_visible()


def test_without_storage_the_address_carries_the_choice(visit, chapter):
    with visit(chapter) as tab:
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


def test_both_stands_in_two_columns_where_there_is_room(visit, chapter):
    with visit(chapter, width=1440) as tab:
        narrow = tab.locator(".bd-article").bounding_box()["width"]
        choose(tab, "both")
        torch, tf = panels(tab)
        assert abs(torch["y"] - tf["y"]) < 2 and tf["x"] >= torch["x"] + torch["width"]
        assert tab.locator(".bd-article").bounding_box()["width"] > narrow
        assert not tab.locator(".bd-sidebar-primary").is_visible()
        tab.locator(".primary-toggle").first.click()
        tab.locator(".bd-sidebar-primary").wait_for(state="visible")  # the theme's button brings it back
        choose(tab, "both", ".fw-page")
        choose(tab, "tf")
        assert tab.locator(".bd-sidebar-primary").is_visible()


def test_both_is_stacked_on_a_telephone(visit, chapter):
    with visit(f"{chapter}?framework=both", width=390) as tab:
        torch, tf = panels(tab)
        assert tf["y"] >= torch["y"] + torch["height"] and abs(tf["x"] - torch["x"]) < 2
        names = tab.locator(FIRST).locator(".fw-name")
        assert names.all_inner_texts() == ["PyTorch", "TensorFlow"]


@pytest.mark.parametrize("key", list(BOXES))
def test_both_are_printed(visit, chapter, key):
    with visit(f"{chapter}?framework={key}") as tab:
        tab.emulate_media(media="print")
        assert shown(tab) == {"both"}
        assert not tab.locator(".fw-choices").first.is_visible()
        assert tab.locator(".fw-tabs .fw-name").first.is_visible()


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
