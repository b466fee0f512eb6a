// A dial for positions: sinusoids, rotations and slopes, against the signed offset of key and query.
KINDS.positions = (ui, data, say) => {
  const { dim, length, slopes } = data;
  const NAMES = ["Sinusoids", "RoPE", "ALiBi"];
  const state = { method: NAMES.indexOf(data.start), query: data.query, key: data.key, base: Math.log10(data.base) * 4, head: 0 };
  const pairs = dim / 2;
  const seen = Math.min(pairs, 8);
  const [one, two] = [cells("cells code"), cells("cells code")];
  const codes = div("codes", hidden("side", "query"), one, hidden("side", "key"), two);
  const dials = hidden("dials");
  const share = bars(range(length, () => ""), { numbers: false });
  const keys = range(length, (position) => position);
  const plots = [[-1, [-1, -0.5, 0, 0.5, 1], "dot product, divided by the number of pairs"], [-8, [-8, -6, -4, -2, 0], "bias added to the score"]].map(([low, ticks, ylabel]) =>
    chart({ x: keys, low, high: ticks.at(-1), ticks, labels: range(5, (index) => Math.round((index * (length - 1)) / 4)), xlabel: "position of the key", ylabel }));
  const turns = legend(["query i", "background:var(--weight)"], ["key j", "background:var(--other)"], ["below: positions per full turn", "display:none"]);
  const equal = div("alibi", caption("weights of equal scores, causal"), share.node);
  const list = factList();
  const readout = make("p", { className: "read" });
  const spin = (position, pair) => position * 10 ** ((-state.base / 4) * (2 * pair) / dim);
  const update = () => {
    const { method, query, key, head } = state;
    const alibi = method === 2;
    const offset = key - query;
    const alike = (other) => sum(range(pairs, (pair) => Math.cos(spin(other - query, pair)))) / pairs;
    const bias = (other, slope) => -slope * Math.abs(other - query);
    [codes, dials, equal, plots[0].node, plots[1].node, bases.node, heads.node, turns].forEach((node, index) => {
      node.hidden = [method !== 0, method !== 1, !alibi, alibi, !alibi, alibi, !alibi, method !== 1][index];
    });
    const encode = (position) => (_, unit) => Math[unit % 2 ? "cos" : "sin"](spin(position, Math.floor(unit / 2)));
    if (method === 0) { paint(one, 1, dim, encode(query)); paint(two, 1, dim, encode(key)); }
    if (method === 1) {
      const hand = (position, pair, color) => `<path d="M0 0L${fixed(Math.cos(spin(position, pair)), 3)} ${fixed(-Math.sin(spin(position, pair)), 3)}" style="stroke:${color}"/>`;
      dials.innerHTML = range(seen, (index) => {
        const pair = seen === pairs ? index : Math.round((index * (pairs - 1)) / (seen - 1));
        const turn = (2 * Math.PI) / spin(1, pair);
        return `<span><svg viewBox="-1.2 -1.2 2.4 2.4"><circle r="1"/>${hand(query, pair, "var(--weight)")}${hand(key, pair, "var(--other)")}</svg>`
          + `<small>pair ${pair + 1}</small><small>${turn < 1000 ? fixed(turn, turn < 100 ? 1 : 0) : `${fixed(turn / 1000, turn < 1e4 ? 1 : 0)}k`}</small></span>`;
      }).join("");
    }
    if (alibi) {
      const weights = softmax(keys.map((other) => (other > query ? -Infinity : bias(other, slopes[head]))));
      share.show(weights, { high: Math.max(0.05, ...weights) });
      plots[1].draw([...slopes.map((slope) => ({ y: keys.map((other) => bias(other, slope)), color: "currentColor", bold: 1, faint: 0.35 })),
        { y: keys.map((other) => bias(other, slopes[head])), color: "var(--weight)" }], { marks: [query], dots: [[key, bias(key, slopes[head]), "var(--other)"]] });
    } else plots[0].draw([{ y: keys.map(alike), color: "var(--weight)" }], { marks: [query], dots: [[key, alike(key), "var(--other)"]] });
    const away = `${offset > 0 ? "+" : ""}${told(offset, 0)}`;
    const value = alibi ? bias(key, slopes[head]) : alike(key);
    facts(list, [["offset j − i", away], ...(alibi ? [["slope of the head", slopes[head] < 0.01 ? fixed(slopes[head], 4) : fixed(slopes[head], 3)], ["bias", told(value)], ["factor on the weight", fixed(Math.exp(value), 3)]]
      : [[method ? "score of two vectors of ones" : "product of the two codes", told(value, 3)], ["fastest pair turns once in", `${fixed(2 * Math.PI, 1)} positions`],
        ["slowest pair", `${Math.round((2 * Math.PI) / spin(1, pairs - 1)).toLocaleString("en")} positions`]])]);
    readout.textContent = [`Codes of positions ${query} and ${key}: a column per component, sine and cosine in turn. Their product depends on the offset alone.`,
      `The blue hand turns the query to position ${query}, the orange one the key to ${key}. The score depends on the angles between the hands, so on the offset alone.`,
      `Equal scores, bias by distance: head ${head + 1} gives position ${key} ${key > query ? "nothing when it is causal" : `${fixed(Math.exp(value), 2)} times the weight of the query's own position`}.`][method];
    say(`${NAMES[method]}, query ${query}, key ${key}, offset ${away}: ${told(value, 3)}.`);
  };
  const queries = slider("query position i", 0, length - 1, state.query, String, (value) => { state.query = value; update(); });
  const keySlider = slider("key position j", 0, length - 1, state.key, String, (value) => { state.key = value; update(); });
  const bases = slider("base", 4, 24, Math.round(state.base), (value) => Math.round(10 ** (value / 4)).toLocaleString("en"), (value) => { state.base = value; update(); });
  const heads = slider("head", 1, slopes.length, 1, (value) => `${value} of ${slopes.length}`, (value) => { state.head = value - 1; update(); });
  for (const plot of plots) drag(plot.area, (x) => { state.key = clamp(Math.round(x * (length - 1)), 0, length - 1); keySlider.set(state.key); update(); });
  ui.append(choice("Method", NAMES, state.method, (method) => { state.method = method; update(); }),
    div("sliders", queries.node, keySlider.node, bases.node, heads.node), codes, dials, turns, equal, plots[0].node, plots[1].node,
    div("pair", readout, list));
  return update;
};
