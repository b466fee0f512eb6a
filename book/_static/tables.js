// A table that is wider than its box or breaks short cells, as on a phone, gets small letters; where these don't help it is
// turned: each row a block, each cell with the name of its column, short cells side by side, below those of the row above.
// Tables of the class "sortable", and those with families: a click on a column sorts them, a button shows one family.
// Without this file they are plain tables. A cell's <data value> is what it is sorted by; columns without any are sorted
// by their text. A row of several families names them all, data-family="one; other".
document.addEventListener("DOMContentLoaded", () => {
  const make = (tag, options, ...inside) => {
    const made = Object.assign(document.createElement(tag), options);
    made.append(...inside);
    return made;
  };

  const sorting = (table, rows) => {
    const heads = [...table.tHead.rows[0].cells];
    heads.forEach((head, column) => {
      const number = (row) => row.cells[column].querySelector("data")?.value;
      const numbers = rows.some((row) => number(row) !== undefined);
      const key = (row) => numbers ? Number(number(row) ?? NaN) : row.cells[column].textContent.trim().toLowerCase();
      const last = (found) => found === "" || Number.isNaN(found);
      const compare = (sign) => (one, other) => {
        const [a, b] = [key(one), key(other)];
        if (last(a) || last(b)) return last(a) - last(b);
        return sign * (a < b ? -1 : a > b ? 1 : 0);
      };
      const words = head.querySelector(":scope > p") ?? head;
      const button = make("button", { type: "button", className: "sort" }, ...words.childNodes);
      head.replaceChildren(button);
      button.addEventListener("click", () => {
        const next = { ascending: "descending", descending: "" }[head.getAttribute("aria-sort")] ?? "ascending";
        for (const other of heads) other.removeAttribute("aria-sort");
        if (next) head.setAttribute("aria-sort", next);
        table.tBodies[0].append(...(next ? [...rows].sort(compare(next === "ascending" ? 1 : -1)) : rows));
      });
    });
  };

  // Parts without a row left are hidden: of several tables each with its heading.
  const filtering = (rows, before, parts = []) => {
    const of = (row) => (row.querySelector("[data-family]")?.dataset.family ?? "").split("; ").filter(Boolean);
    const families = [...new Set(rows.flatMap(of))].sort((a, b) => (parts.length ? a.localeCompare(b) : 0));
    if (families.length < 2) return;
    const told = make("span", { className: "families-told", role: "status" });
    const buttons = ["all rows", ...families].map((name) => {
      const button = make("button", { type: "button", ariaPressed: String(name === "all rows") }, name);
      button.addEventListener("click", () => {
        for (const other of buttons) other.ariaPressed = String(other === button);
        for (const row of rows) row.hidden = name !== "all rows" && !of(row).includes(name);
        for (const part of parts) part.hidden = !rows.some((row) => !row.hidden && part.contains(row));
        told.textContent = `${rows.filter((row) => !row.hidden).length} of ${rows.length} rows`;
      });
      return button;
    });
    const group = make("div", { className: "families", role: "group", ariaLabel: "Show one family" }, ...buttons, told);
    before.before(group);
  };

  for (const table of document.querySelectorAll("table:has(td [data-family])")) table.classList.add("sortable");

  const words = document.createRange();
  const fit = (box, table) => {
    if (box.measured === box.clientWidth) return;
    box.measured = box.clientWidth;
    table.classList.remove("small", "turned");
    if (!box.measured) return;
    const fits = () => table.scrollWidth <= box.measured;
    const lines = (cell) => { words.selectNodeContents(cell); return words.getBoundingClientRect().height / 22; };
    const broken = (cell) => cell.textContent.trim().length <= 24 && lines(cell) > 2.5;
    if (fits() && ![...table.querySelectorAll("td")].some(broken)) return;
    table.classList.add("small");
    if (fits()) return;
    const heads = [...table.tHead.rows[0].cells].map((head) => head.textContent.trim());
    const short = (row) => [...row.cells].slice(1).every((cell) => cell.textContent.trim().length <= 24);
    for (const row of table.tBodies[0].rows) {
      [...row.cells].forEach((cell, column) => { cell.dataset.head = heads[column] ?? ""; });
    }
    table.classList.replace("small", "turned");
    table.classList.toggle("side-by-side", heads.length > 2 && [...table.tBodies[0].rows].every(short));
  };

  for (const table of document.querySelectorAll(".bd-article table:not(.sortable)")) {
    const box = table.closest(".pst-scrollable-table-container, div.output");
    if (!box || !table.tHead) continue;
    new ResizeObserver(() => requestAnimationFrame(() => fit(box, table))).observe(box);
  }

  // What all the same goes on beyond the edge of its box fades there.
  const fade = (box) => box.classList.toggle("goes-on", box.scrollLeft + box.clientWidth < box.scrollWidth - 1);
  for (const table of document.querySelectorAll(".pst-scrollable-table-container > table")) {
    const box = table.parentElement;
    const watch = new ResizeObserver(() => requestAnimationFrame(() => fade(box)));
    for (const each of [box, table]) watch.observe(each);
    box.addEventListener("scroll", () => fade(box));
  }

  for (const table of document.querySelectorAll("table.sortable")) {
    const rows = [...table.tBodies[0].rows];
    sorting(table, rows);
    if (!table.matches(".exercise-list")) filtering(rows, table.closest(".pst-scrollable-table-container") ?? table);
  }
  const chapters = [...document.querySelectorAll("section:has(> * .exercise-list, > .exercise-list):not(:has(section))")];
  if (chapters.length) filtering([...document.querySelectorAll(".exercise-list tbody tr")], chapters[0], chapters);
});
