// How many GiB the keys and values of a model take, against the length of the context.
KINDS.cache = (ui, data, say) => {
  const state = { context: data.context, batch: data.batch, bytes: 1, memory: data.memory };
  const SIZES = [["32 bit", 4], ["16 bit", 2], ["8 bit", 1], ["4 bit", 0.5]];
  const size = (model) => sum(model.parts.map(([layers, values, window]) => layers * values * Math.min(2 ** state.context, window ?? Infinity)))
    * 2 ** state.batch * SIZES[state.bytes][1] / 2 ** 30;
  const gib = (value) => `${value >= 100 ? Math.round(value).toLocaleString("en") : fixed(value, value >= 1 ? 1 : value >= 0.1 ? 2 : 3)} GiB`;
  const tokens = (power) => (power >= 10 ? `${(2 ** (power - 10)).toLocaleString("en")}k tokens` : `${2 ** power} tokens`);
  const shape = data.own?.map(([, value]) => value); // layers, heads and width that a reader typed
  const own = () => [[shape[0], 2 * shape[1] * shape[2]]];
  const models = [...data.models, ...(shape ? [{ name: "your shape", note: "", parts: own() }] : [])];
  const entries = models.map((model) => {
    const [gauge, number] = [make("i"), make("b", { className: "num" })];
    return { node: div("entry", make("span", {}, model.name, make("small", {}, model.note)), number, hidden("gauge", gauge)), gauge, number, model };
  });
  const list = div("entries");
  const over = make("span");
  const readout = make("p", { className: "read" });
  const update = () => {
    if (shape) models.at(-1).parts = own();
    const sizes = models.map(size);
    const most = Math.max(...sizes, state.memory ?? 0);
    entries.forEach(({ gauge, number, node }, index) => {
      gauge.style.width = `${(100 * sizes[index]) / most}%`;
      number.textContent = gib(sizes[index]);
      node.classList.toggle("over", state.memory !== null && sizes[index] > state.memory);
    });
    const order = range(sizes.length, (index) => index).sort((one, two) => sizes[two] - sizes[one]);
    list.replaceChildren(...order.map((index) => entries[index].node));
    over.textContent = `more than ${state.memory} GiB`;
    const [least, top] = [sizes.indexOf(Math.min(...sizes)), sizes.indexOf(Math.max(...sizes))];
    const [fewest, largest] = [least, top].map((index) => `${models[index].name} ${gib(sizes[index])}`);
    const fits = state.memory === null ? "" : ` ${sizes.filter((value) => value <= state.memory).length} of ${sizes.length} fit into ${state.memory} GiB, weights not counted.`;
    readout.textContent = `${tokens(state.context)}, batch ${2 ** state.batch}, ${SIZES[state.bytes][0]}: least ${fewest}, most ${largest} (${fixed(sizes[top] / sizes[least], 1)} times).${fits}`;
    say(readout.textContent);
  };
  const menu = make("select", { ariaLabel: "Memory of the GPU" }, ...(data.devices ?? []).map(([name, gib]) =>
    make("option", { selected: gib === state.memory }, `${name}: ${gib} GiB`)));
  menu.addEventListener("change", () => { state.memory = data.devices[menu.selectedIndex][1]; update(); });
  const typed = (data.own ?? []).map(([name, value, most], index) => {
    const input = make("input", { type: "number", min: 1, max: most, value, ariaLabel: `${name} of your shape` });
    input.addEventListener("input", () => { if (input.validity.valid && input.value) { shape[index] = Math.floor(+input.value); update(); } });
    return make("label", { className: "typed" }, name, input);
  });
  ui.append(div("sliders", slider("context", 7, 20, state.context, tokens, (value) => { state.context = value; update(); }).node,
    slider("sequences at once", 0, 8, state.batch, (value) => `${2 ** value}`, (value) => { state.batch = value; update(); }).node),
  div("bar", choice("Bits per value", SIZES.map(([name]) => name), 1, (bytes) => { state.bytes = bytes; update(); }),
    ...(data.devices ? [div("gpu", menu)] : [])),
  ...(shape ? [div("bar", caption("your shape:"), ...typed)] : []), list,
  ...(state.memory === null ? [] : [legend(["fits", "background:var(--weight)"])]), readout);
  const key = ui.querySelector(".legend");
  if (key) key.append(make("span", {}, make("i", { style: "background:var(--other)" }), over));
  return update;
};
