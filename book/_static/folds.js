// "Open all" at the head of a page, titles that open what is folded below, and what is made of a fold when it is opened.
(() => {
  // Source, solutions and the code of figures stand in <noscript>: text without elements, until somebody looks.
  let made = 0;
  document.addEventListener("toggle", ({ target }) => {
    const later = target.open && target.querySelector(":scope > noscript");
    if (!later) return;
    const content = document.createRange().createContextualFragment(later.textContent);
    const button = document.querySelector(".copybtn");
    for (const code of button ? content.querySelectorAll("div.highlight pre") : []) {
      code.id = `opened-${made++}`;
      const copy = button.cloneNode(true);
      copy.dataset.clipboardTarget = `#${code.id}`;
      code.after(copy);
    }
    later.replaceWith(content);
    dispatchEvent(new Event("resize")); // the theme gives a stop of the keyboard to code that scrolls only then
  }, true);

  // The title of what is folded opens it too.
  document.addEventListener("click", ({ target }) => {
    const title = target.closest(".bd-article :is(section.look-up, section.more > section) > :is(h2, h3)");
    const fold = title?.parentElement.querySelector(":scope > details");
    if (fold && !target.closest("a")) fold.open = !fold.open;
  });

  document.addEventListener("DOMContentLoaded", prepare);
  if (document.readyState !== "loading") prepare();

  function prepare() {
    const button = document.querySelector(".claims-all");
    if (!button || !button.hidden) return;
    const claims = () => [...document.querySelectorAll(".bd-article details:is(.fold-check, .fold-both)")];
    button.hidden = false;
    button.addEventListener("click", () => {
      const open = claims().some((block) => !block.open);
      for (const block of claims()) block.open = open;
      button.textContent = open ? "Close all" : "Open all";
    });
  }
})();
