// How many GiB the keys and values of a model take, against the length of the context.
KINDS.cache = (ui, data, say) => {
  const state = { context: data.context, batch: data.batch, bytes: 1 };
  const SIZES = [["32 bit", 4], ["16 bit", 2], ["8 bit", 1], ["4 bit", 0.5]];
  const size = (model) => sum(model.parts.map(([layers, values, window]) => layers * values * Math.min(2 ** state.context, window ?? Infinity)))
    * 2 ** state.batch * SIZES[state.bytes][1] / 2 ** 30;
  const gib = (value) => `${value >= 100 ? Math.round(value).toLocaleString("en") : fixed(value, value >= 1 ? 1 : value >= 0.1 ? 2 : 3)} GiB`;
  const tokens = (power) => (power >= 10 ? `${(2 ** (power - 10)).toLocaleString("en")}k tokens` : `${2 ** power} tokens`);
  const entries = data.models.map((model) => {
    const [gauge, number] = [make("i"), make("b", { className: "num" })];
    return { node: div("entry", make("span", {}, model.name, make("small", {}, model.note)), number, hidden("gauge", gauge)), gauge, number, model };
  });
  const readout = make("p", { className: "read" });
  const update = () => {
    const sizes = data.models.map(size);
    const most = Math.max(...sizes, data.memory ?? 0);
    entries.forEach(({ gauge, number, node }, index) => {
      gauge.style.width = `${(100 * sizes[index]) / most}%`;
      number.textContent = gib(sizes[index]);
      node.classList.toggle("over", data.memory !== null && sizes[index] > data.memory);
    });
    const [least, top] = [sizes.indexOf(Math.min(...sizes)), sizes.indexOf(Math.max(...sizes))];
    const [fewest, largest] = [least, top].map((index) => `${data.models[index].name} ${gib(sizes[index])}`);
    const fits = data.memory === null ? "" : ` ${sizes.filter((value) => value <= data.memory).length} of ${sizes.length} fit into ${data.memory} GiB, weights not counted.`;
    readout.textContent = `${tokens(state.context)}, batch ${2 ** state.batch}, ${SIZES[state.bytes][0]}: least ${fewest}, most ${largest} (${fixed(sizes[top] / sizes[least], 1)} times).${fits}`;
    say(readout.textContent);
  };
  ui.append(div("sliders", slider("context", 7, 20, state.context, tokens, (value) => { state.context = value; update(); }).node,
    slider("sequences at once", 0, 8, state.batch, (value) => `${2 ** value}`, (value) => { state.batch = value; update(); }).node),
  choice("Bits per value", SIZES.map(([name]) => name), 1, (bytes) => { state.bytes = bytes; update(); }), div("entries", ...entries.map((entry) => entry.node)),
  ...(data.memory === null ? [] : [legend(["fits", "background:var(--weight)"], [`more than ${data.memory} GiB`, "background:var(--other)"])]), readout);
  return update;
};
