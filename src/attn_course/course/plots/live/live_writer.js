// Chapter 13: a language model writes on from the reader's words; its cache fills, and can be broken.
KINDS.live_writer = (ui, data, say) => {
  let draw = () => {};
  gate(ui, data, (file) => {
    const tokenizer = new attnLive.Tokenizer(file.tokenizer);
    const CACHES = [["everything", {}], ["last 32", { window: 32 }], ["last 28 and 4 sinks", { window: 28, sinks: 4 }]];
    const MOST = 384;
    const state = { cache: 0, groups: 2, temperature: 0.7, layer: 0, head: 0, chosen: 0, written: [], steps: [], tokens: [], plan: [], from: 0 }; // plan: all tokens, of which some may still be unread
    let model, running = 0;
    const fresh = () => { model = new attnLive.LanguageModel(file, { groups: state.groups, ...CACHES[state.cache][1] }); };
    const read = (token) => {
      const before = state.steps.at(-1);
      const surprise = before ? -Math.log(before.probability[token]) : null;
      const found = model.step(token);
      state.tokens.push(token);
      state.steps.push({ ...found, surprise, bytes: model.bytes, probability: attnLive.softmax(found.logits) });
    };
    const reading = () => !state.plan.length || state.tokens.length < state.plan.length;
    const write = () => { const token = drawn(); state.plan.push(token); return token; };
    const drawn = () => {
      const { logits } = state.steps.at(-1);
      if (!state.temperature) return attnLive.largest(logits);
      const weights = attnLive.softmax(logits.map((value) => value / state.temperature));
      let left = Math.random();
      const found = weights.findIndex((weight) => (left -= weight) < 0);
      return found < 0 ? attnLive.largest(logits) : found;
    };
    // Works in slices, so that the page stays alive; a newer task ends an older one.
    const work = async (next, shown) => {
      const own = ++running;
      let rested = performance.now();
      for (let token; own === running && state.tokens.length < MOST && (token = next()) !== null;) {
        read(token);
        if (!shown && performance.now() - rested < 24) continue;
        if (shown) shown();
        await new Promise((resolve) => { setTimeout(resolve); });
        rested = performance.now();
      }
      return own === running;
    };
    const again = async () => {
      fresh();
      Object.assign(state, { tokens: [], steps: [], chosen: 0 });
      if (await work(() => state.plan[state.tokens.length] ?? null)) { state.chosen = state.tokens.length - 1; build(); }
    };
    const note = make("p", { className: "note" });
    const typed = () => {
      halt();
      const [strange, all] = [tokenizer.unknown(prompt.value), tokenizer.encode(prompt.value).length];
      note.textContent = [strange.length && `Characters that it never saw: ${strange.join(" ")}.`,
        all > MOST - 64 && `It reads the first ${MOST - 64} of ${all} tokens.`].filter(Boolean).join(" ");
      state.plan = tokenizer.encode(prompt.value).slice(0, MOST - 64);
      state.from = state.plan.length;
      old = null;
      return again();
    };
    let old = null; // the curve of the cache before
    const changed = () => { halt(); if (state.steps.length) old = { name: named, y: curve() }; named = setting(); return again(); };
    const setting = () => `${CACHES[state.cache][0]}, ${state.groups} KV ${state.groups > 1 ? "heads" : "head"}`;
    let named = setting();

    const prompt = make("textarea", { rows: 2, spellcheck: false, value: data.prompts[0][1] });
    typing(prompt).addEventListener("input", typed);
    const examples = data.prompts.map(([name, text]) => button(name, () => { prompt.value = text; typed(); }, `Prompt: ${name}`));
    const flow = make("div", { className: "flow", role: "radiogroup", ariaLabel: "Tokens; the chosen one attends" });
    const readout = make("p", { className: "read" });
    const list = factList();
    const gauge = make("i");
    const go = button("Write on", async () => {
      if (go.textContent === "Stop") { halt(); build(); return; }
      if (reading()) return;
      const start = state.tokens.length;
      rename(go, "Stop");
      const done = await work(() => (state.tokens.length < start + 60 ? write() : null), () => { state.chosen = state.tokens.length - 1; grow(); });
      if (!done) return; // a switch or a new text has taken over
      halt();
      build();
      say(`Written: ${state.tokens.slice(start).map((token) => tokenizer.text(token)).join("")}`);
    });
    const halt = () => { running++; rename(go, "Write on"); };
    const one = button("One token", () => {
      if (go.textContent === "Stop") halt();
      if (reading() || state.tokens.length >= MOST) return;
      read(write());
      state.chosen = state.tokens.length - 1;
      build();
    });
    const back = button("Back to the prompt", () => { typed(); });
    const heads = range(4, () => cells("cells strip"));
    const strips = make("fieldset", { className: "strips" }, make("legend", {}, "Heads of this layer: weight of each token so far"),
      ...radios("head", range(4, (head) => `head ${head + 1}`), 0, (head) => { state.head = head; shine(); },
        (input, head) => make("label", {}, input, make("span", {}, `head ${head + 1}`), heads[head])));
    const next = bars(range(6, () => "token"), { numbers: true }); // a name of more than two letters stands upright
    const nextNames = next.node.lastChild;
    let plot = null;
    const plotted = div("");

    const marks = [];
    const token = (index) => {
      const input = make("input", { type: "radio", name: "token", ariaLabel: `${visible(tokenizer.text(state.tokens[index]))}, token ${index + 1}` });
      input.addEventListener("change", () => { state.chosen = index; shine(); });
      const text = tokenizer.text(state.tokens[index]);
      return make("label", { className: `word${index >= state.from ? " new" : ""}` }, input, text === "\n" ? "⏎\n" : text);
    };
    const grow = () => {
      while (marks.length < state.tokens.length) { const node = token(marks.length); marks.push(node); flow.append(node); }
      shine();
    };
    const curve = () => state.steps.map((_, index) => {
      const near = state.steps.slice(Math.max(1, index - 31), index + 1).map(({ surprise }) => surprise);
      return near.length ? sum(near) / near.length : NaN;
    }).slice(16);
    const shine = () => {
      const step = state.steps[state.chosen];
      if (!step) { list.replaceChildren(); readout.textContent = "Type the beginning of a text."; return; }
      const weights = step.weights[state.layer];
      const seen = new Map(step.positions.map((position, slot) => [position, weights[state.head][slot]]));
      marks.forEach((node, index) => {
        const weight = seen.get(index);
        node.style.setProperty("--w", `${fixed(100 * Math.sqrt(weight ?? 0), 0)}%`);
        node.classList.toggle("on", index === state.chosen);
        node.classList.toggle("gone", index <= state.chosen && weight === undefined);
        node.classList.toggle("later", index > state.chosen);
      });
      marks[state.chosen].firstChild.checked = true;
      const [box, mark] = [flow.getBoundingClientRect(), marks[state.chosen].getBoundingClientRect()]; // the page itself must not move
      if (mark.bottom > box.bottom || mark.top < box.top) flow.scrollTop += mark.bottom - box.bottom + 8;
      const slots = Math.max(...state.steps.map(({ positions }) => positions.at(-1) + 1));
      heads.forEach((canvas, head) => {
        const row = new Map(step.positions.map((position, slot) => [position, weights[head][slot]]));
        paint(canvas, 1, slots, (_, column) => Math.sqrt(row.get(column) ?? 0));
      });
      const likely = best(step.probability, 6);
      next.show(likely.map((number) => step.probability[number]), { on: likely.flatMap((number, index) => (number === state.tokens[state.chosen + 1] ? [index] : [])) });
      likely.forEach((number, index) => { nextNames.children[index].textContent = visible(tokenizer.text(number)); });
      const each = step.bytes / step.positions.length;
      facts(list, [["tokens read", `${state.chosen + 1}`], ["in the cache", `${step.positions.length}`], ["cache", `${(step.bytes / 1024).toLocaleString("en")} KiB`],
        [`per token: 2 × 4 layers × ${state.groups} × 32 × 4 bytes`, `${each.toLocaleString("en")} bytes`]]);
      gauge.style.width = `${Math.min(100, (100 * step.bytes) / (MOST * 2048))}%`;
      const most = best(weights[state.head], 3).map((slot) => `“${visible(tokenizer.text(state.tokens[step.positions[slot]]))}” ${fixed(weights[state.head][slot])}`);
      readout.replaceChildren(make("b", { className: "mono" }, `“${visible(tokenizer.text(state.tokens[state.chosen]))}”`),
        ` (${state.chosen + 1} of ${state.tokens.length}) in layer ${state.layer + 1}, head ${state.head + 1} attends to ${most.join(", ")}. `,
        `In the cache: ${step.positions.length} of them, ${(step.bytes / 1024).toLocaleString("en")} KiB.`);
      if (go.textContent !== "Stop") say(readout.textContent);
    };
    const build = () => {
      flow.replaceChildren();
      marks.length = 0;
      grow();
      const y = curve();
      plotted.replaceChildren();
      if (y.length < 8) return;
      const x = range(Math.max(y.length, old?.y.length ?? 0), (index) => index + 17);
      const lines = [{ y, color: "var(--s0)" }, ...(old && old.y.length === y.length && old.name !== named ? [{ y: old.y, color: "var(--s1)", dash: "7 4" }] : [])];
      const high = Math.ceil(Math.max(...lines.flatMap((line) => line.y)));
      plot = chart({ x, low: 0, high, ticks: range(high + 1, (value) => value), labels: [x[0], ...[64, 128, 256].filter((value) => value > x[0] + 8 && value < x.at(-1) - 8), x.at(-1)],
        xlabel: "tokens read", ylabel: "Loss of the text in nats, mean of the last 32 tokens; upright: the 128 tokens of the training" });
      plot.draw(lines, { marks: x.at(-1) > 128 ? [128] : [] });
      plotted.append(plot.node, legend([`${named}: ${fixed(y.at(-1))} at the end`, "background:var(--s0)"],
        ...(lines.length > 1 ? [[`${old.name}: ${fixed(old.y.at(-1))}`, "background:var(--s1)"]] : [])));
    };
    ui.prepend(make("label", { className: "field" }, caption(data.prompt), prompt), div("chips", ...examples), note,
      div("bar", go, one, back), slider("temperature", 0, 1.5, state.temperature, (value) => fixed(value, 1), (value) => { state.temperature = value; }, 0.1).node,
      div("bar", caption("The cache keeps"), choice("The cache keeps", CACHES.map(([name]) => name), 0, (cache) => { state.cache = cache; changed(); })),
      div("bar", caption("Heads of key and value"), choice("Heads of key and value", ["2, as trained", "1, their mean"], 0, (index) => { state.groups = 2 - index; changed(); })),
      flow, div("bar", caption("Layer"), choice("Layer", ["1", "2", "3", "4"], 0, (layer) => { state.layer = layer; shine(); })), strips, readout,
      div("pair", div("", div("title", "Cache at the chosen token"), hidden("gauge", gauge), list), div("", div("title", "What may follow"), next.node)), plotted);
    draw = build;
    typed();
    ui.figure = { state, tokenizer, model: () => model };
  });
  return () => draw();
};
