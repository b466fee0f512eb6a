// What live figures share: the picture stays until the reader asks for the model, which is then loaded once for the page.
const gate = (ui, data, begin) => {
  const trouble = make("p", { className: "read", role: "alert", hidden: true });
  const load = button(`Load the model (${data.size}) and type`, async () => {
    load.disabled = true;
    rename(load, "Loading…");
    trouble.hidden = true;
    try {
      const file = await (data.file ? attnLive.unpack(data.file) : attnLive.loadWeights(data.weights));
      begin(file);
      door.remove();
      ui.querySelector("input, textarea").focus({ preventScroll: true });
    } catch (error) {
      console.error(error);
      load.disabled = false;
      rename(load, "Try again");
      trouble.textContent = "The model could not be loaded, so the figure stays a picture.";
      trouble.hidden = false;
    }
  });
  const door = div("door", make("slot"), div("bar", load, caption("It runs on this device: what you type is sent nowhere.")), trouble);
  ui.append(door);
};
// The name that is spoken follows the text that is shown.
const rename = (node, text) => { node.textContent = text; node.setAttribute("aria-label", text); };
const sure = (share) => (share > 0.995 && share < 1 ? ">99%" : share > 0 && share < 0.005 ? "<1%" : `${fixed(100 * share, 0)}%`);
const best = (values, count) => [...values.keys()].sort((one, two) => values[two] - values[one]).slice(0, count);
// The site's own keys ("/" opens the search, arrows turn pages) see the figure, not the field in its shadow root.
const typing = (field) => { field.addEventListener("keydown", (event) => { if (!event.ctrlKey && !event.metaKey) event.stopPropagation(); }); return field; };
// A grid of weights: a row for each token, one of which is chosen, and above it the bars of that row.
const weighed = (columns, rows, { words, label, spoken, forced = [], weights, chosen }) => {
  const [canvas, mark, row] = [cells(), div("mark"), bars(columns, { numbers: columns.length <= 8 })];
  const list = make("div", { className: `toks ${words ? "words" : "mono"}`, role: "radiogroup", ariaLabel: label },
    ...radios("step", spoken, 0, chosen, (node, index) => make("label", { className: `tok${forced[index] === undefined ? "" : " forced"}` }, node, rows[index])));
  const field = make("div", { className: "face", style: `height:${fixed(rows.length * 1.6)}rem` }, canvas, mark);
  drag(field, (x, y) => chosen(part(y, rows.length)));
  const node = div("grid", div(""), row.node, list, field);
  node.style.setProperty("--n", columns.length);
  const show = (step) => {
    [...list.children].forEach((label, index) => { label.classList.toggle("on", index === step); label.firstChild.checked = index === step; });
    paint(canvas, rows.length, columns.length, (i, j) => weights(i)[j]);
    mark.style.cssText = `top:calc(${(100 * step) / rows.length}% - 2px);height:calc(${100 / rows.length}% + 4px)`;
    const most = best(weights(step), 3).filter((j) => weights(step)[j] >= 0.005);
    row.show([...weights(step)], { on: most.slice(0, 1) });
    return most.map((j) => `“${visible(columns[j])}” at ${j + 1}: ${fixed(weights(step)[j])}`).join(", ");
  };
  return { node, show };
};
// An encoder-decoder writes what the reader's text becomes, with a row of attention for each token; any can be overruled.
const decoding = (ui, data, say, { model, heads = 0, joint = "", nothing, unknown }) => {
  const state = { text: data.examples[0], forced: [], steps: [], step: 0, head: 0 };
  const input = make("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: false, value: state.text });
  const examples = data.examples.map((text) => button(text, () => { input.value = text; typed(); }, `Example: ${text}`));
  const [answer, note, stage, others] = [make("b", { className: "answer" }), make("p", { className: "note" }), div("stage"), div("chips")];
  const readout = make("p", { className: "read" });
  const weightsOf = ({ weights }) => (heads ? weights[state.head] : weights);
  const typed = () => { Object.assign(state, { text: input.value, forced: [], step: 0 }); write(); };
  const write = () => {
    state.steps = model.write(state.text, { forced: state.forced });
    state.step = Math.min(state.step, Math.max(0, state.steps.length - 1));
    build();
  };
  const force = (forced) => {
    state.forced = forced;
    write();
    stage.querySelector("input:checked")?.focus();
  };
  const told = () => {
    const pieces = model.pieces(state.text);
    const strange = [...new Set(pieces.filter((piece) => !model.knows(piece)))];
    const least = Math.min(...state.steps.map(({ token, probability }) => probability[token]));
    return [state.steps.length && `Least sure step: ${sure(least)}.`, strange.length && `${unknown}: ${strange.join(" ")}.`,
      pieces.length === model.constructor.LONGEST && `It reads the first ${pieces.length} only.`].filter(Boolean).join(" ");
  };
  let show = () => {};
  const build = () => {
    const [columns, { steps }] = [model.pieces(state.text), state];
    answer.textContent = steps.map(({ token }) => model.said(token)).filter((text) => text !== model.constructor.MARK).join(joint) || "nothing yet";
    note.textContent = told();
    others.replaceChildren();
    if (!steps.length) { stage.replaceChildren(); readout.textContent = nothing; show = () => {}; say(nothing); return; }
    const said = steps.map(({ token }) => model.said(token));
    const grid = weighed(columns, said, { words: heads, label: "What is written", forced: state.forced, weights: (step) => weightsOf(steps[step]),
      spoken: said.map((text, index) => `${text === model.constructor.MARK ? "the end" : text}, step ${index + 1}`),
      chosen: (step) => { state.step = step; show(); } });
    stage.replaceChildren(grid.node);
    show = () => {
      const { token, logits, probability } = steps[state.step];
      const most = grid.show(state.step);
      const by = state.forced[state.step] === undefined ? "writes" : `would write “${model.said(attnLive.largest(logits))}”, you wrote`;
      readout.replaceChildren(`Step ${state.step + 1} of ${steps.length} ${by} `, make("b", {}, `“${model.said(token)}”`),
        ` (${sure(probability[token])}). Most weight${heads ? ` in head ${state.head + 1}` : ""}: ${most}.`);
      const choices = best(probability, 4).filter((other) => other !== token && other > 1 && other !== 3).slice(0, 3);
      const before = state.forced.slice(0, state.step);
      others.replaceChildren(caption("Write instead, and let it go on:"), ...choices.map((other) => {
        const text = `${model.said(other)} ${sure(probability[other])}`;
        return button(text, () => force(Object.assign([...before], { [state.step]: other })), `Write instead: ${text}`);
      }), ...(state.forced.length ? [button("Undo", () => force([]))] : []));
      say(`${answer.textContent}. ${note.textContent} ${readout.textContent}`);
    };
    show();
  };
  typing(input).addEventListener("input", typed);
  const names = range(heads, (head) => `${head + 1}`);
  ui.prepend(make("label", { className: "field" }, caption(data.prompt), input), div("chips", ...examples), div("bar", make("span", {}, "→ ", answer)), note,
    ...(heads ? [div("bar", caption("Attention of head"), choice("Attention of head", names, 0, (head) => { state.head = head; show(); }))] : []), stage, readout, others);
  write();
  input.select();
  ui.figure = { model, state };
  return build;
};
