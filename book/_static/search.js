// Sections of the book for the words of a query, the best one first: on the search page, and under the field of any
// other page while one types. MiniSearch finds and weighs them; `SECTIONS` is written by book/_ext/section_search.py,
// the stemmer and its stop words come from the builder. search_field.js loads all of it.
(() => {
  const BOOST = { title: 5, names: 6, above: 1, pageTitle: 2, text: 1, code: 0.6 };
  // A chapter explains; its summary repeats; the pages of the reference are for those who know.
  const WEIGHT = { card: 0.7, section: 1, page: 0.6, summary: 0.5, reference: 0.3, term: 0.6, name: 0.4, exercises: 0.3 };
  WEIGHT.topic = 0.4; // a page of the package
  WEIGHT.method = 0.2;
  const [MOST, HITS] = [30, 6]; // listed on the page, and under the field

  // The stemmer would take an indexer for an index and positive for a position: these lose their plural's s alone.
  const WHOLE = /(?:er|or|direction|projection|positive|general|important|importance)s?$/;
  const stemmer = new Stemmer();
  const stem = (word) => {
    const small = word.toLowerCase();
    return WHOLE.test(small) ? small.replace(/s$/, "") : stemmer.stemWord(small);
  };
  const ASKING = "after can do does example explained formula from how many much off should vs what when where which why".split(" ");
  const FRAMEWORKS = /\b(pytorch|torch|tensorflow|tf|keras)\b/gi; // a subject's card has both
  const stops = new Set([...stopwords, ...ASKING]);
  const compounds = (text) => text.normalize("NFKC").match(/[\p{L}\p{N}]+(?:[-_][\p{L}\p{N}]+)*/gu) ?? [];
  // "PagedAttention" and "KVCache" are two words each, "ALiBi" and "YaRN" are one.
  const parts = (word) => {
    const found = word.split(/(?<=[a-z\d]{2})(?=[A-Z][a-z])|(?<=[A-Z])(?=[A-Z][a-z]{2})/);
    return found.every((part) => part.length > 1) ? found : [word];
  };

  // What readers type for a word of the course.
  const SAME = {
    ...{ attn: "attention", bf16: "bfloat16", emb: "embedding", fp16: "float16", fp32: "float32", llm: "model", bool: "boolean" },
    ...{ generation: "decoding", inference: "decoding", latency: "time", oom: "memory", vram: "memory" },
    ...{ params: "parameters", pos: "position", seq: "sequence" },
  };
  const meant = (word) => (SAME[word] ? [word, SAME[word]] : [word]);

  // The words of a text; a compound counts as its parts and, in the index, as one word too: "pre-norm", "prenorm".
  function words(text, whole) {
    return compounds(text).flatMap((compound) => {
      const found = compound.split(/[-_]/).flatMap(parts);
      return whole && found.length > 1 ? [...found, compound.replace(/[-_]/g, "")] : found;
    });
  }

  // What was asked for without "why", "is" and single letters, unless there is nothing else.
  function asked(query) {
    const all = words(query, false).map((word) => word.toLowerCase());
    const kept = all.filter((word) => (word.length > 1 || /\d/.test(word)) && !stops.has(word));
    return [...new Set(kept.length ? kept : all)];
  }

  const plain = (text) => words(text, false).map(stem).join(" ");
  // A heading's own names: what stands before and behind a colon, a comma or in brackets.
  const names = (title) => title.replace(/^\d+ · /, "").split(/[:,()]| or /).map(plain).filter(Boolean);

  const isPage = (one) => one.kind === "page" || one.kind === "topic";
  const titles = Object.fromEntries(
    SECTIONS.filter(isPage).map((one) => [one.page, one.kind === "topic" ? "Package" : one.title]),
  );

  const index = new MiniSearch({
    fields: Object.keys(BOOST),
    extractField: (one, field) => (Array.isArray(one[field]) ? one[field].join(" . ") : (one[field] ?? "")),
    tokenize: (text) => words(text, true),
    processTerm: stem,
    searchOptions: { boost: BOOST, tokenize: (text) => text.split(" ") },
  });
  // A page is found by its file's name too, as by "bottleneck".
  const pageTitle = (one) => `${isPage(one) ? "" : (titles[one.page] ?? "")} ${one.page.replace(/^.*\/|_/g, " ")}`;
  index.addAll(SECTIONS.map((one, id) => ({ ...one, id, pageTitle: pageTitle(one) })));

  // A name by itself leads to what has it: typed as in code ("KVCache", "from_keras") to its entry in the package, a
  // chapter's subject to its card, all else to its section.
  function bears(one, query, typed) {
    const called = one.title.split(" ")[0];
    if (one.kind === "name" && /[A-Z_]/.test(typed) && called === typed) return 3;
    if (one.kind === "method" && /[A-Z_]/.test(typed) && [called, called.split(".")[1]].includes(typed)) return 2.5;
    const named = (one.names ?? []).some((name) => plain(name) === query);
    if (named) return one.kind === "reference" ? 1 : 2; // beside it, a chapter's section comes first
    if (one.kind === "card" && names(titles[one.page]).includes(query)) return 2;
    return one.kind === "section" && names(one.title).includes(query) ? 1 : 0;
  }

  // Whether some text has the word itself: what none has may be mistyped.
  const held = (term) => index.search(term).length > 0;

  function find(query) {
    const terms = asked(query);
    const phrase = plain(query.replace(FRAMEWORKS, "")) || plain(query);
    // A letter, or a word as "in", by itself stands everywhere: headings and names alone are searched for it.
    const alone = terms.length === 1 && (terms[0].length === 1 || stops.has(terms[0]));
    const found = index.search(terms.flatMap(meant).join(" "), {
      ...(alone && { fields: ["title", "names"] }),
      prefix: (term) => term.length > 1,
      fuzzy: (term) => (term.length > (held(term) ? 5 : 4) ? 0.2 : false),
      weights: { fuzzy: 0.1, prefix: 0.3 },
    });
    const exercises = terms.some((word) => stem(word) === stem("exercise"));
    const rated = found.map((result) => {
      const one = SECTIONS[result.id];
      const matched = terms.filter((word) => meant(word).some((one) => result.queryTerms.includes(stem(one))));
      const share = matched.length / terms.length;
      const heading = ` ${plain(`${one.title} . ${(one.names ?? []).join(" . ")}`)} `;
      const together = terms.length > 1 && heading.includes(` ${terms.map(stem).join(" ")} `) ? 2 : 1;
      const last = one.kind === "exercises" && !exercises;
      const score = result.score * share ** 3 * together * (exercises ? 1 : WEIGHT[one.kind]);
      return { one, score, share, order: (last ? -10 : 0) + bears(one, phrase, query.trim()), terms: Object.keys(result.match) };
    });
    const whole = rated.some((result) => result.share === 1);
    return rated
      .filter((result) => !whole || result.share > 0.5)
      .sort((a, b) => b.order - a.order || b.score - a.score)
      .slice(0, MOST);
  }

  // The section's own words around the first that was asked for; those are marked.
  function quote(one, terms) {
    const text = one.text ?? "";
    const hits = [...text.matchAll(/[\p{L}\p{N}]+/gu)].filter(
      (word) => terms.includes(stem(word[0])) || parts(word[0]).some((part) => terms.includes(stem(part))),
    );
    const first = hits[0]?.index ?? 0;
    const start = first < 100 ? 0 : text.indexOf(" ", first - 80) + 1;
    const end = text.length < start + 220 ? text.length : text.lastIndexOf(" ", start + 220);
    const box = document.createElement("p");
    box.className = "context";
    let place = start;
    box.append(start ? "… " : "");
    for (const { 0: word, index } of hits) {
      if (index < start || index + word.length > end) continue;
      const marked = document.createElement("mark");
      marked.textContent = word;
      box.append(text.slice(place, index), marked);
      place = index + word.length;
    }
    box.append(text.slice(place, end), end < text.length ? " …" : "");
    return box;
  }

  function link({ one, terms }, query) {
    const link = document.createElement("a");
    link.href = `${document.documentElement.dataset.content_root}${one.page}.html${one.anchor ? `#${one.anchor}` : ""}`;
    link.textContent = isPage(one) ? one.title : `${titles[one.page] ?? one.page} > ${one.title}`;
    if (one.kind === "topic") link.textContent = `Package > ${one.title}`;
    // The builder's script marks these words on the page that opens.
    const mark = () => {
      try {
        localStorage.setItem("sphinx_highlight_terms", asked(query).filter((word) => word.length > 2).join(" "));
      } catch {
        // a browser that stores nothing opens the page without marks
      }
    };
    link.addEventListener("click", mark);
    link.addEventListener("auxclick", mark);
    return link;
  }

  // What stands on top of the results. Of a word that is still typed the beginning counts.
  function tell(query, results, typed) {
    const missed = (word, place, all) => !index.search(word, { prefix: typed && place === all.length - 1 }).length;
    const none = asked(query).filter(missed);
    if (!results.length) return `Nothing holds “${query}”. Fewer words, or another name for it, may find more.`;
    if (!none.length) return `${results.length === MOST ? "The best" : "Found"} ${results.length} for “${query}”.`;
    const named = none.map((word) => `“${word}”`).join(" or ");
    return `Nothing holds ${named}. Listed is what has the other words, or words like it.`;
  }

  const set = (element, attributes) => {
    for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
    return element;
  };
  const made = (tag, attributes) => set(document.createElement(tag), attributes);

  // What is typed in the field is answered in a box: what was found, and a list of the best.
  function answer(field, box, list, most, entry) {
    const told = made("p", { class: "search-summary", role: "status" });
    box.append(told, list);
    const fill = (typed) => {
      const query = field.value.trim();
      const results = query ? find(query) : [];
      told.textContent = query && tell(query, results, typed);
      const entries = results.slice(0, most).map((result, number) => {
        const line = entry(link(result, query), number);
        line.append(quote(result.one, result.terms));
        return line;
      });
      list.replaceChildren(...entries);
    };
    field.addEventListener("input", () => fill(true));
    fill(false);
  }

  function page(results) {
    const field = results.parentElement.querySelector("input");
    const query = new URLSearchParams(location.search).get("q")?.trim();
    if (query) {
      field.value = query;
      document.title = `${query}: ${document.title}`;
    }
    answer(field, results, made("ul", { class: "search" }), MOST, (link) => {
      const line = document.createElement("li");
      line.append(link);
      return line;
    });
  }

  // The field that Ctrl+K opens over a page: a combobox, the six best are its options.
  function box(dialog) {
    const field = dialog.querySelector("input");
    const list = made("div", { id: "search-hits", role: "listbox", "aria-label": "Sections" });
    set(field, { role: "combobox", "aria-controls": list.id, "aria-autocomplete": "list" });
    let chosen = -1; // the field itself
    const choose = (place) => {
      chosen = place;
      const options = [...list.children];
      options.forEach((option, one) => option.setAttribute("aria-selected", one === place));
      set(field, { "aria-expanded": options.length > 0, "aria-activedescendant": options[place]?.id ?? "" });
      options[place]?.scrollIntoView({ block: "nearest" });
    };
    const option = (link, place) => set(link, { id: `search-hit-${place}`, role: "option", tabindex: -1 });
    answer(field, dialog, list, HITS, option);
    choose(-1);
    field.addEventListener("input", () => choose(-1));
    field.addEventListener("keydown", (event) => {
      const [step, places] = [{ ArrowDown: 1, ArrowUp: -1 }[event.key], list.children.length + 1];
      if (step) choose(((chosen + 1 + step + places) % places) - 1);
      else if (event.key === "Escape") dialog.close();
      else if (event.key === "Enter" && chosen >= 0) list.children[chosen].click();
      else return;
      event.preventDefault();
    });
    list.addEventListener("click", () => dialog.close());
  }

  function start() {
    const [results, dialog] = [document.getElementById("search-results"), document.getElementById("pst-search-dialog")];
    if (results) page(results);
    else if (dialog) box(dialog);
  }
  // For tests: the entries for a query, without a page's address.
  window.findSections = (query) => find(query).map(({ one, score }) => ({ ...one, score }));

  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", start);
  else start();
})();
