// The search and its list of sections are 1.2 MB, 340 kB packed: they are loaded when a field is first used.
(() => {
  const FILES = ["language_data.js", "minisearch/minisearch.js", "search_sections.js", "search.js"];
  const load = () => {
    removeEventListener("focusin", used);
    for (const name of FILES) {
      const src = `${document.documentElement.dataset.content_root}_static/${name}`;
      document.head.append(Object.assign(document.createElement("script"), { src, async: false }));
    }
  };
  const used = ({ target }) => target.closest("form.bd-search") && load();
  if (document.getElementById("search-results")) load();
  else addEventListener("focusin", used);
})();
