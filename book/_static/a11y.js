// Faults of the theme and the builder, mended on each page: what a screen reader meets, and where a reader stands.
document.addEventListener("DOMContentLoaded", () => {
  // A label that differs from the visible text can't be spoken to: the text itself is the name.
  for (const element of document.querySelectorAll("button[aria-label], summary[aria-label]")) {
    const shown = element.innerText.trim();
    if (shown && !element.ariaLabel.toLowerCase().includes(shown.toLowerCase())) element.removeAttribute("aria-label");
  }
  // A date in a table is one word: a narrow column doesn't break it at its hyphens.
  for (const cell of document.querySelectorAll(".bd-article td")) {
    const walker = document.createTreeWalker(cell, NodeFilter.SHOW_TEXT);
    const texts = [];
    while (walker.nextNode()) if (/\d{4}-\d\d-\d\d/.test(walker.currentNode.data)) texts.push(walker.currentNode);
    for (const text of texts) {
      const parts = text.data.split(/(\d{4}-\d\d-\d\d)/).map((part, place) => {
        if (place % 2 === 0) return part;
        const date = Object.assign(document.createElement("span"), { textContent: part });
        date.style.whiteSpace = "nowrap";
        return date;
      });
      text.replaceWith(...parts);
    }
  }
  // The role that the builder gives to a source is deprecated, and its list expects another.
  for (const source of document.querySelectorAll("[role=doc-biblioentry]")) source.setAttribute("role", "listitem");
  // What opens the pages below a page has a sign and no name.
  for (const toggle of document.querySelectorAll(".bd-sidebar-primary li > details > summary")) {
    toggle.ariaLabel = `Pages of ${toggle.closest("li").querySelector("a").textContent.trim()}`;
    toggle.querySelector("[role=presentation]")?.setAttribute("aria-hidden", "true");
  }
  // A formula that scrolls in its box can be reached by the keyboard.
  const stops = () => {
    for (const formula of document.querySelectorAll(".bd-article div.math")) {
      if (formula.scrollWidth > formula.clientWidth) formula.tabIndex = 0;
      else formula.removeAttribute("tabindex");
    }
  };
  for (const event of ["resize", "load"]) addEventListener(event, stops);
  document.addEventListener("toggle", stops, true);
  document.fonts.ready.then(stops);
  // The theme marks, in the contents, a heading that passes by; at a jump none does. A followed link it marks itself.
  const links = [...document.querySelectorAll("#pst-page-toc-nav a[href^='#']")];
  const headings = links.map((link) => document.getElementById(link.hash.slice(1))?.querySelector("h1, h2, h3"));
  let followed = 0;
  addEventListener("hashchange", () => { followed = Date.now(); });
  document.addEventListener("scrollend", () => {
    if (Date.now() - followed < 1000) return;
    const passed = headings.findLastIndex((heading) => heading?.checkVisibility() && heading.getBoundingClientRect().top < innerHeight * 0.3);
    for (const [place, link] of links.entries()) {
      link.classList.toggle("active", place === passed);
      if (place === passed) link.ariaCurrent = "true";
      else link.removeAttribute("aria-current");
    }
    for (const entry of document.querySelectorAll("#pst-page-toc-nav .toc-entry"))
      entry.classList.toggle("active", entry.contains(links[passed] ?? null));
  });
  // The contents leave out a section that a filter of the page hides.
  const follow = (changes) => {
    for (const { target } of changes) {
      const line = document.querySelector(`#pst-page-toc-nav a[href="#${target.id}"]`)?.closest("li");
      if (line && target.matches("section")) line.hidden = target.hidden;
    }
  };
  const article = document.querySelector(".bd-article");
  if (article) new MutationObserver(follow).observe(article, { subtree: true, attributeFilter: ["hidden"] });
  // The theme scrolls the list of chapters to where it was on the page before; this page's line may be out of sight.
  const showCurrent = () => {
    const line = document.querySelector(".bd-links li.active > a.current");
    const bar = line?.closest("dialog, .bd-sidebar-primary");
    if (!line?.checkVisibility()) return;
    const [place, frame] = [line, bar].map((one) => one.getBoundingClientRect());
    if (place.top < frame.top || place.bottom > Math.min(frame.bottom, innerHeight)) bar.scrollTop += place.top - frame.top - bar.clientHeight / 3;
  };
  addEventListener("load", showCurrent);
  document.querySelector(".primary-toggle")?.addEventListener("click", () => requestAnimationFrame(showCurrent));
  // The side bar is no landmark of its own in the theme.
  const sidebar = document.querySelector(".bd-sidebar-primary");
  sidebar?.setAttribute("role", "navigation");
  sidebar?.setAttribute("aria-label", "Chapters");
});
