// Keeps the choice PyTorch | TensorFlow | Both: over all groups of a page, all pages (localStorage) and in the
// address (?framework=torch|tf|both). Runs in the head, so that the first drawing is right already.
(() => {
  const KEY = "attn-course-framework";
  const CHOICES = ["torch", "tf", "both"];
  const root = document.documentElement;

  const known = (value) => (CHOICES.includes(value) ? value : null);

  function stored() {
    try {
      return known(localStorage.getItem(KEY));
    } catch {
      return null; // a browser may forbid storage: then the choice lives in the address
    }
  }

  function store(choice) {
    try {
      localStorage.setItem(KEY, choice);
    } catch {
      // see stored()
    }
  }

  function initial() {
    const asked = known(new URL(location.href).searchParams.get("framework"));
    // On the way back to a page its address is older than the last choice.
    const back = performance.getEntriesByType("navigation")[0]?.type === "back_forward";
    const choice = back ? stored() || asked : asked || stored();
    if (choice) store(choice);
    return choice;
  }

  function writeAddress(choice) {
    const url = new URL(location.href);
    if (url.searchParams.get("framework") === choice) return;
    url.searchParams.set("framework", choice);
    try {
      history.replaceState(history.state, "", url);
    } catch {
      // some browsers refuse it for pages opened as files
    }
  }

  // Two columns need the room of the side bar. The theme's own class, so its button brings the bar back.
  const wide = matchMedia("(min-width: 77.5em)"); // as in framework.css
  function stepAside() {
    const sidebar = document.getElementById("pst-primary-sidebar");
    if (!sidebar) return;
    sidebar.style.transition = "none"; // at once: choose() measures the result
    sidebar.classList.toggle("pst-sidebar-hidden", wide.matches && root.dataset.framework === "both");
    sidebar.getBoundingClientRect();
    sidebar.style.transition = "";
  }

  // Colab and the download give the notebook of the chosen framework, where the chapter has one: it lies beside the
  // full one, and for Colab on a branch of its own.
  function pointNotebooks(choice) {
    const alone = document.querySelector(".fw-page")?.dataset.alone.split(" ") ?? [];
    const links = 'a[href*="colab.research.google.com"], a[href*="_sources/"][href$=".ipynb"]';
    for (const link of document.querySelectorAll(links)) {
      link.dataset.full ??= link.href;
      link.href = !alone.includes(choice)
        ? link.dataset.full
        : link.dataset.full
            .replace(/\.ipynb$/, `_${choice}.ipynb`)
            .replace(/\/blob\/(.+)\/book\//, "/blob/notebooks/$1/");
    }
  }

  function show(choice) {
    root.dataset.framework = choice;
    pointNotebooks(choice);
    stepAside();
    for (const radio of document.querySelectorAll(".fw-choices input")) {
      radio.checked = radio.value === choice;
    }
  }

  // Panels above the reader change their height: hold the clicked control where it is.
  function choose(choice, control) {
    const before = control.getBoundingClientRect().top;
    show(choice);
    store(choice);
    writeAddress(choice);
    scrollBy({ top: control.getBoundingClientRect().top - before, behavior: "instant" });
    dispatchEvent(new Event("resize")); // the theme gives a stop of the keyboard to code that scrolls only then
  }

  const first = initial();
  root.dataset.framework = first || "torch";

  document.addEventListener("DOMContentLoaded", () => {
    if (!document.querySelector(".fw-tabs")) return;
    show(root.dataset.framework);
    wide.addEventListener("change", stepAside);
    if (first) writeAddress(first);
    for (const radio of document.querySelectorAll(".fw-choices input")) {
      radio.addEventListener("change", () => choose(radio.value, radio.closest("fieldset")));
    }
  });

  // A page taken from the browser's back/forward cache missed what was chosen since.
  addEventListener("pageshow", (event) => {
    const choice = stored();
    if (!event.persisted || !choice || !document.querySelector(".fw-tabs")) return;
    show(choice);
    writeAddress(choice);
  });
})();
