// What the reference pages answer to a reader, where they have a place for it. Without this file they are plain pages.
document.addEventListener("DOMContentLoaded", () => {
  const make = (tag, options, ...inside) => {
    const made = Object.assign(document.createElement(tag), options);
    made.append(...inside);
    return made;
  };

  // "letters": a field shows the rows of the page's tables that explain a letter.
  const letters = (place) => {
    const greek = { alpha: "α", beta: "β", gamma: "γ", delta: "δ", epsilon: "ε", theta: "θ", kappa: "κ" };
    Object.assign(greek, { lambda: "λ", xi: "ξ", sigma: "σ", tau: "τ", phi: "φ", omega: "ω" });
    const of = (cell) => cell.innerHTML.replace(/<[^>]*>/g, " ").normalize("NFKC").match(/\p{L}+/gu) ?? [];
    const tables = [...document.querySelectorAll(".bd-article table")];
    const explain = tables.filter((one) => /^(Letter|Paper)/.test(one.tHead?.textContent.trim()));
    const rows = explain.flatMap((one) => [...one.tBodies[0].rows]);
    const where = (row) => {
      const chapter = row.closest("details")?.querySelector("summary").textContent;
      return (chapter ?? row.closest("section").querySelector("h1, h2").firstChild.textContent).trim();
    };
    const field = make("input", { type: "search", autocomplete: "off", autocapitalize: "off", size: 8 });
    const told = make("span", { role: "status" });
    const found = make("tbody");
    const table = make("table", { className: "table", hidden: true }, make("thead", {}, make("tr")), found);
    for (const name of ["Letter", "Meaning", "Where"]) table.tHead.rows[0].append(make("th", { scope: "col" }, name));
    field.addEventListener("input", () => {
      const word = greek[field.value.trim().toLowerCase()] ?? field.value.trim();
      const hits = rows.filter((row) => of(row.cells[0]).includes(word));
      found.replaceChildren(...hits.map((row) => {
        const [letter, ...said] = row.cloneNode(true).cells;
        const heads = row.closest("table").tHead.rows[0].cells;
        const name = (place) => said.length > 1 ? `${heads[place + 1].textContent.trim()}: ` : "";
        const parts = said.map((cell, place) => make("div", {}, name(place), ...cell.childNodes));
        return make("tr", {}, letter, make("td", {}, ...parts), make("td", {}, where(row)));
      }));
      table.hidden = !hits.length;
      told.textContent = word && ` ${hits.length} ${hits.length === 1 ? "row" : "rows"}`;
    });
    place.append(make("label", {}, "A letter: ", field), told, table);
  };

  // "readers": a list of readers, each with links to the sections for them. A button shows these sections alone.
  const readers = (place) => {
    const sections = (item) => [...item.querySelectorAll('a[href^="#"]')].map((link) => document.getElementById(link.hash.slice(1)).closest("section"));
    const items = [...place.querySelectorAll("li")].map((item) => [item.querySelector("strong").textContent.replace(":", ""), sections(item), item]);
    const all = [...new Set(items.flatMap(([, of]) => of))];
    const told = make("span", { className: "families-told", role: "status" });
    const count = (of) => of.reduce((sum, section) => sum + section.querySelectorAll("h3").length, 0);
    const show = (name) => {
      const chosen = items.find(([reader]) => reader === name)?.[1] ?? all;
      for (const section of all) section.hidden = !chosen.includes(section);
      for (const [reader, , item] of items) item.hidden = chosen !== all && reader !== name;
      for (const button of buttons) button.ariaPressed = String(button.textContent === name);
      told.textContent = `${count(chosen)} of ${count(all)} sentences`;
    };
    const buttons = ["Everybody", ...items.map(([name]) => name)].map((name) => {
      const button = make("button", { type: "button", ariaPressed: String(name === "Everybody") }, name);
      button.addEventListener("click", () => show(name));
      return button;
    });
    place.before(make("div", { className: "families", role: "group", ariaLabel: "Show what one reader meets" }, ...buttons, told));
  };

  // What a config.json says of the cache, as attn_course.course.labs.caches reads it: a row of the table of checkpoints.
  const LONG = 131072;
  const cached = (given) => {
    const config = given.text_config ?? given;
    const has = (name) => {
      if (config[name] > 0) return config[name];
      throw new Error(`no ${name} in it`);
    };
    const other = Object.keys(config).find((name) => config[name] && /mamba|ssm|block_type|hybrid|compress|kv_shared|cross_attention/.test(name));
    if (other) throw new Error(`${other}: such layers are not counted here`);
    const [layers, heads] = [has("num_hidden_layers"), has("num_attention_heads")];
    const shared = config.num_key_value_heads ?? heads;
    const window = config.use_sliding_window === false ? undefined : config.sliding_window ?? undefined;
    const kinds = (kind) => config.layer_types.filter((one) => one === kind).length;
    let [whole, linear] = [layers, 0];
    if (config.linear_attn_config || config.full_attention_interval) {
      whole = config.linear_attn_config?.full_attn_layers.length ?? Math.floor(layers / config.full_attention_interval);
      linear = layers - whole;
    } else if (config.layer_types) [whole, linear] = [kinds("full_attention"), kinds("linear_attention")];
    else if (window) whole = Math.floor(layers / (config.sliding_window_pattern ?? Infinity));
    const near = layers - whole - linear;
    const sees = near ? has("sliding_window") : LONG;
    const latent = config.kv_lora_rank && config.kv_lora_rank + has("qk_rope_head_dim");
    const index = latent && config.index_topk ? has("index_head_dim") : 0;
    const values = latent ? latent + index : 2 * shared * (config.head_dim ?? has("hidden_size") / heads);
    const far = config.global_head_dim ? 2 * has("num_global_key_value_heads") * config.global_head_dim : values;
    const matrices = config.linear_attn_config ? config.linear_attn_config.num_heads * config.linear_attn_config.head_dim ** 2
      : linear && has("linear_num_value_heads") * has("linear_key_head_dim") * has("linear_value_head_dim");
    const state = linear * matrices * 4;
    const bytes = (n) => 2 * (whole * far * n + near * values * Math.min(n, sees)) + state;
    const chosen = index ? Math.min(LONG, config.index_topk) : LONG;
    const read = latent ? layers - linear && whole * (chosen * latent + LONG * index) : whole * far * LONG + near * values * Math.min(LONG, sees);
    const done = latent ? whole * 2 * (chosen * heads * (latent + config.kv_lora_rank) + (index && LONG * has("index_n_heads") * index))
      : 2 * heads * (whole * far * LONG / (config.num_global_key_value_heads ?? shared) + near * values * Math.min(LONG, sees) / shared);
    const commas = (number) => number.toLocaleString("en");
    let kind = latent ? `MLA${index ? `, an indexer chooses ${commas(config.index_topk)}` : ""}` : shared === heads ? "MHA" : `GQA, ${shared} heads`;
    if (near) kind += `, ${whole ? `${near} of ${near + whole} layers ` : ""}window ${commas(sees)}`;
    if (config.num_global_key_value_heads && whole) kind += `; ${config.num_global_key_value_heads} heads in the others`;
    if (linear) kind += ` in ${whole} of ${layers} layers, and ${Math.round(state / 2 ** 20)} MiB of state`;
    const each = (bytes(LONG) - bytes(LONG - 1)) / 1024;
    const token = each >= 10 ? `${commas(Math.round(each))} KiB` : each ? `${each.toFixed(1)} KiB` : "nothing";
    return [kind, token, `${(bytes(LONG) / 2 ** 30).toFixed(1)} GiB`, 2 * read, done / (2 * read)];
  };

  const ownConfig = (place) => {
    const table = document.querySelector("table.sortable");
    const field = make("textarea", { rows: 2, spellcheck: false, placeholder: '{"num_hidden_layers": 32, ...' });
    const told = make("span", { role: "status" });
    const row = make("tr", { className: "own" });
    field.addEventListener("input", () => {
      row.remove();
      told.textContent = "";
      if (!field.value.trim()) return;
      try {
        const [kind, token, all, read, operations] = cached(JSON.parse(field.value));
        const took = (read / place.dataset.terabytes / 1e9).toFixed(1);
        const cells = ["yours", kind, token, all, `${took} ms`, operations.toFixed(0)];
        row.replaceChildren(...cells.map((text) => make("td", {}, text)));
        table.tBodies[0].prepend(row);
        told.textContent = `Yours is the first row: ${kind}, ${token} per token.`;
      } catch (error) {
        told.textContent = `Not read: ${error.message}.`;
      }
    });
    place.append(make("label", {}, "Your config.json: ", field), told);
  };

  document.querySelectorAll(".letters").forEach(letters);
  document.querySelectorAll(".readers").forEach(readers);
  document.querySelectorAll(".own-config").forEach(ownConfig);
});
