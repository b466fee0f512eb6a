// Rotations longer than training: the angle of every pair against the position, by method and factor.
KINDS.rotation = (ui, data, say) => {
  const { dim, base, length, methods } = data;
  const pairs = dim / 2;
  const SPAN = 8;
  const state = { method: methods.indexOf(data.method), factor: data.factor, position: data.position };
  const plain = range(pairs, (pair) => base ** ((-2 * pair) / dim));
  const turns = (frequency, positions) => (positions * frequency) / (2 * Math.PI);
  const seen = Math.min(pairs, 8);
  const shown = range(seen, (index) => (seen === pairs ? index : Math.round((index * (pairs - 1)) / (seen - 1))));
  const whole = (pair) => turns(plain[pair], length) >= 1;
  const unfinished = range(pairs, (pair) => pair).filter((pair) => !whole(pair)).length;
  const pairOf = (count) => (dim * Math.log(length / (2 * Math.PI * count))) / (2 * Math.log(base));
  const keep = {
    none: () => 1,
    linear: () => 0,
    ntk: () => 1,
    yarn: (pair) => {
      const first = Math.max(Math.floor(pairOf(32)), 0);
      const last = Math.min(Math.ceil(pairOf(1)), dim - 1);
      return 1 - clamp((pair - first) / (last === first ? 0.001 : last - first), 0, 1);
    },
    llama3: (pair) => clamp((turns(plain[pair], length) - 1) / 3, 0, 1),
  };
  const share = (pair) => {
    const name = methods[state.method];
    if (name === "ntk") return state.factor ** ((-2 * pair) / (dim - 2));
    const kept = keep[name](pair);
    return kept + (1 - kept) / state.factor;
  };
  const x = range(33, (index) => (index * SPAN * length) / 32);
  const plot = chart({ x, low: 0, high: SPAN, ticks: [0, 1, 2, 4, 6, 8], labels: range(5, (index) => (index * SPAN * length) / 4), xlabel: "position",
    ylabel: "angle, in units of the largest in training" });
  const dials = hidden("dials");
  const list = factList();
  const readout = make("p", { className: "read" });
  const spot = (angle) => `${fixed(Math.cos(angle), 3)} ${fixed(-Math.sin(angle), 3)}`;
  const update = () => {
    const { position, factor } = state;
    const shares = range(pairs, share);
    const angles = range(pairs, (pair) => position * plain[pair] * shares[pair]);
    const met = (pair) => whole(pair) || angles[pair] % (2 * Math.PI) <= length * plain[pair] * (1 + 1e-9);
    const strange = range(pairs, (pair) => pair).filter((pair) => !met(pair)).length;
    plot.draw([{ y: x.map(() => 1), color: "currentColor", bold: 1.5, dash: "3 3" },
      ...shown.map((pair) => ({ y: x.map((place) => (place / length) * shares[pair]), color: whole(pair) ? "var(--weight)" : "var(--other)", bold: 1.8, dash: whole(pair) ? "7 4" : "none" }))],
      { marks: [position] });
    dials.innerHTML = shown.map((pair) => {
      const reach = Math.min(2 * Math.PI - 1e-3, length * plain[pair]);
      const arc = `<path class="met" d="M1 0A1 1 0 ${reach > Math.PI ? 1 : 0} 0 ${spot(reach)}"/>`;
      return `<span><svg viewBox="-1.2 -1.2 2.4 2.4"><circle r="1"/>${arc}<path d="M0 0L${spot(angles[pair])}" style="stroke:var(${met(pair) ? "--weight" : "--other"})"/></svg>`
        + `<small>pair ${pair}</small><small>${met(pair) ? "met" : "never met"}</small></span>`;
    }).join("");
    facts(list, [["pairs with less than one turn in training", `${unfinished} of ${pairs}`], ["pairs at an angle never met", `${strange}`],
      ["fastest pair: frequency times", fixed(shares[0], 3)], ["slowest pair: frequency times", fixed(shares[pairs - 1], 3)],
      ["query and key times", fixed(methods[state.method] === "yarn" ? 0.1 * Math.log(factor) + 1 : 1, 3)]]);
    readout.textContent = `Position ${position.toLocaleString("en")}, trained on ${length.toLocaleString("en")}: the thick arc is what a pair turned through in training. `
      + (strange ? `${strange} of ${pairs} pairs stand at an angle that the model never met.` : "Every pair stands at an angle that the model has met.");
    say(readout.textContent);
  };
  const factors = slider("factor", 0, 16, 4 * Math.log2(state.factor), (value) => fixed(2 ** (value / 4), 1), (value) => { state.factor = 2 ** (value / 4); update(); });
  const places = slider("position", 0, 32, (32 * state.position) / (SPAN * length), (value) => Math.round(x[value]).toLocaleString("en"), (value) => { state.position = Math.round(x[value]); update(); });
  drag(plot.area, (place) => { const at = clamp(Math.round(32 * place), 0, 32); places.set(at); state.position = Math.round(x[at]); update(); });
  ui.append(choice("Method", data.names, state.method, (method) => { state.method = method; update(); }), div("sliders", factors.node, places.node), dials, plot.node,
    legend(["at least one turn in training", "background:var(--weight)"], ["less than one turn", "background:var(--other)"]), div("pair", readout, list));
  return update;
};
