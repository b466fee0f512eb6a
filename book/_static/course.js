// What this browser remembers of the course: chapters marked as read, and a progress string of the exercises. Nothing
// leaves the browser; without storage, or without this file, the map is a picture and no button is shown.
(() => {
  const READ = "attn-course-read";
  const CODE = "attn-course-exercises";
  const get = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
  const put = (key, value) => { try { localStorage.setItem(key, value); return true; } catch { return false; } };
  const readPages = () => { try { return new Set(JSON.parse(get(READ)) ?? []); } catch { return new Set(); } };
  const hiddenText = (text) => Object.assign(document.createElement("span"), { className: "map-hidden", textContent: text });

  // "00-3.01-1": per chapter the solved exercises as bits, in hexadecimal; null where the text is something else.
  const decode = (text) => {
    const code = text.match(/\b(?:\d\d|project|lm)-[0-9a-f]+(?:\.(?:\d\d|project|lm)-[0-9a-f]+)*\b/)?.[0];
    if (!code) return /\bnone\b/.test(text) ? {} : null;
    return Object.fromEntries(code.split(".").map((part) => {
      const [group, bits] = part.split("-");
      return [group, [...parseInt(bits, 16).toString(2)].filter((bit) => bit === "1").length];
    }));
  };

  const stations = () => [...document.querySelectorAll(".course-map li[data-page]")];
  const showMap = () => {
    const map = document.querySelector(".course-map");
    if (!map) return;
    const read = readPages();
    const solved = decode(get(CODE) ?? "") ?? {};
    for (const station of stations()) {
      const { page, group, count } = station.dataset;
      const stop = station.querySelector(".map-stop");
      stop.dataset.number ??= stop.textContent;
      const done = read.has(page);
      station.classList.toggle("read", done);
      stop.textContent = done ? "✓" : stop.dataset.number;
      const number = Math.min(solved[group] ?? 0, +count);
      const told = station.querySelector(".map-done");
      told.textContent = number ? ` · ${number} of ${count} solved` : "";
      told.classList.toggle("all", number === +count);
      if (done) told.append(hiddenText(", read"));
    }
    const core = stations().filter((station) => station.classList.contains("map-core"));
    const next = core.find((station) => !read.has(station.dataset.page));
    const line = map.querySelector(".map-next");
    line.replaceChildren();
    if (next) {
      const link = next.querySelector(".map-name a");
      const number = next.querySelector(".map-stop").dataset.number;
      const verb = core.some((station) => read.has(station.dataset.page)) ? "Continue" : "Begin";
      line.append(Object.assign(document.createElement("a"), { href: link.href, textContent: `${verb} with chapter ${number}` }));
    } else line.textContent = "You have read the whole path.";
    map.querySelector(".map-bar").hidden = false;
  };

  const showSidebar = () => {
    const read = readPages();
    for (const link of document.querySelectorAll(".bd-sidebar-primary .bd-links a[href]")) {
      const page = link.pathname.split("/").pop().replace(/\.html$/, "");
      const done = read.has(page === "" ? document.querySelector(".mark-read")?.dataset.page : page);
      link.querySelector(".sidebar-read")?.remove();
      if (done) {
        const tick = Object.assign(document.createElement("span"), { className: "sidebar-read" });
        tick.append(Object.assign(document.createElement("span"), { textContent: " ✓", ariaHidden: "true" }), hiddenText(", read"));
        link.append(tick);
      }
    }
  };

  const startButton = () => {
    const line = document.querySelector(".mark-read");
    if (!line || get(READ) === null && !put(READ, "[]")) return;
    const button = line.querySelector("button");
    const show = () => {
      const done = readPages().has(line.dataset.page);
      button.setAttribute("aria-pressed", done);
      button.textContent = done ? "✓ Read" : "Mark this chapter as read";
    };
    button.addEventListener("click", () => {
      const read = readPages();
      if (!read.delete(line.dataset.page)) read.add(line.dataset.page);
      put(READ, JSON.stringify([...read].sort()));
      show();
      showSidebar();
    });
    show();
    line.hidden = false;
  };

  const startForm = () => {
    const form = document.querySelector(".map-form");
    if (!form) return;
    const said = document.querySelector(".map-said");
    form.elements.code.value = get(CODE) ?? "";
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      const text = form.elements.code.value.trim();
      const solved = decode(text);
      if (!solved) { said.textContent = "That is no progress string; it looks like 00-3.04-1f."; return; }
      put(CODE, text);
      showMap();
      const total = Object.values(solved).reduce((sum, count) => sum + count, 0);
      said.textContent = `${total} ${total === 1 ? "exercise" : "exercises"} solved.`;
    });
  };

  // Formulas are MathML; who asks for it on the page "Accessibility" has them drawn by MathJax, which reads MathML too.
  const MATHJAX = "attn-course-mathjax";
  const drawMath = () => {
    if (get(MATHJAX) !== "yes" || !document.querySelector("math") || window.MathJax) return;
    window.MathJax = { tex: { inlineMath: [], displayMath: [], processEnvironments: false, processRefs: false } };
    const folder = `${document.documentElement.dataset.content_root}_static/mathjax`;
    document.head.append(Object.assign(document.createElement("script"), { src: `${folder}/tex-mml-chtml.js` }));
  };
  const startMathChoice = () => {
    const line = document.querySelector(".draw-math");
    if (!line) return;
    const button = line.querySelector("button");
    const show = () => button.setAttribute("aria-pressed", get(MATHJAX) === "yes");
    button.addEventListener("click", () => { put(MATHJAX, get(MATHJAX) === "yes" ? "no" : "yes"); show(); });
    show();
    line.hidden = false;
  };

  // A link into the card or into a part of "More" opens it, one to a section that a choice hides shows all again, as the
  // first of its buttons does; so does a second click on the same link.
  const openTarget = (hash) => {
    const target = hash.length > 1 && document.getElementById(decodeURIComponent(hash.slice(1)));
    if (!target) return;
    if (target.closest("section[hidden]")) { document.querySelector(".families button").click(); target.scrollIntoView(); }
    const panel = target.closest(".fw-panel");
    if (panel && !target.checkVisibility()) { // of the other framework: it becomes the choice
      const name = panel.matches(".fw-tf") ? "tf" : "torch";
      document.documentElement.dataset.framework = name;
      document.querySelector(`.fw-choices input[value=${name}]`)?.click();
      target.scrollIntoView();
    }
    const fold = target.querySelector(":scope > details.fold-more") ?? target.closest("details.fold-more");
    if (!fold) return;
    fold.open = true;
    if (fold.contains(target)) target.scrollIntoView();
  };
  addEventListener("hashchange", () => openTarget(location.hash));
  document.addEventListener("click", ({ target }) => {
    const link = target.closest?.('a[href*="#"]');
    // What is said of both frameworks leads to the entry in the chosen one.
    const both = document.documentElement.dataset.framework === "tf" && link?.matches(".bd-article :not(.fw-panel *)");
    if (both) link.hash = link.hash.replace(/^#attn_course\.pytorch\.(?=\w+$)/, "#attn_course.tf.");
    if (link && link.pathname === location.pathname) openTarget(link.hash);
  });

  const start = () => { openTarget(location.hash); startButton(); startForm(); showMap(); showSidebar(); startMathChoice(); drawMath(); };
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
  addEventListener("pageshow", (event) => { if (event.persisted) { showMap(); showSidebar(); } });
})();
