// Faults of the theme and the builder that a screen reader meets, mended on each page.
document.addEventListener("DOMContentLoaded", () => {
  // A label that differs from the visible text can't be spoken to: the text itself is the name.
  for (const element of document.querySelectorAll("button[aria-label], summary[aria-label]")) {
    const shown = element.innerText.trim();
    if (shown && !element.ariaLabel.toLowerCase().includes(shown.toLowerCase())) element.removeAttribute("aria-label");
  }
  // The role that the builder gives to a source is deprecated, and its list expects another.
  for (const source of document.querySelectorAll("[role=doc-biblioentry]")) source.setAttribute("role", "listitem");
  // What opens the pages below a page has a sign and no name.
  for (const toggle of document.querySelectorAll(".bd-sidebar-primary li > details > summary")) {
    toggle.ariaLabel = `Pages of ${toggle.closest("li").querySelector("a").textContent.trim()}`;
    toggle.querySelector("[role=presentation]")?.setAttribute("aria-hidden", "true");
  }
  // The side bar is no landmark of its own in the theme.
  const sidebar = document.querySelector(".bd-sidebar-primary");
  sidebar?.setAttribute("role", "navigation");
  sidebar?.setAttribute("aria-label", "Chapters");
});
