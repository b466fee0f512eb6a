// "Open all" at the head of a page, and printing: a closed block would be missing on paper.
(() => {
  const closed = () => [...document.querySelectorAll(".bd-article details:not([open])")];

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

  let opened = [];
  function openAll() {
    if (opened.length) return;
    opened = closed();
    for (const block of opened) block.open = true;
  }
  function closeAgain() {
    for (const block of opened) block.open = false;
    opened = [];
  }
  addEventListener("beforeprint", openAll);
  addEventListener("afterprint", closeAgain);
})();
