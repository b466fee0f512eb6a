// Softmax with and without the scale, for a width that can be changed; in detail also a temperature and the entropy.
KINDS.scale = (ui, data, say) => {
  const most = Math.log2(data.keys.length);
  const entropy = (weights) => sum(weights.map((weight) => (weight > 0 ? -weight * Math.log2(weight) : 0)));
  const panel = (title, color) => {
    const columns = bars(data.keys);
    const gauge = make("i");
    const list = factList();
    const node = div("panel", make("p", { className: "title" }, title), columns.node, list, ...(data.details ? [hidden("gauge", gauge)] : []));
    node.style.setProperty("--c", color);
    columns.node.style.setProperty("--c", color);
    const show = (weights) => {
      const [bits, largest] = [entropy(weights), Math.max(...weights)];
      columns.show(weights);
      if (!data.details) {
        facts(list, [["largest weight", fixed(largest)]]);
        return `largest weight ${fixed(largest)}`;
      }
      gauge.style.width = `${(100 * bits) / most}%`;
      facts(list, [["largest weight", fixed(largest)], ["largest w(1 − w), how fast a weight can change", fixed(Math.max(...weights.map((weight) => weight * (1 - weight))), 3)],
        ["entropy", `${fixed(bits)} of ${fixed(most)} bits`]]);
      return `entropy ${fixed(bits)} bits, largest weight ${fixed(largest)}`;
    };
    return { node, show };
  };
  const plain = panel(`without scale: softmax(${data.details ? "q·k / temperature" : "q·k"})`, "#2f8a5b");
  const scaled = panel(`scaled: softmax(q·k / ${data.details ? "(√dₖ · temperature)" : "√dₖ"})`, "var(--other)");
  const state = { width: data.start, temperature: 1 };
  const update = () => {
    const scores = data.scores[state.width].map((score) => score / 1000 / state.temperature);
    const root = Math.sqrt(data.widths[state.width]);
    const without = plain.show(softmax(scores));
    say(`Without scale: ${without}. Scaled: ${scaled.show(softmax(scores.map((score) => score / root)))}.`);
  };
  ui.append(div("sliders",
    slider("width dₖ", 0, data.widths.length - 1, state.width, (step) => `${data.widths[step]}`, (step) => { state.width = step; update(); }).node,
    ...(data.details ? [slider("temperature", -20, 20, 0, (step) => fixed(10 ** (step / 20)), (step) => { state.temperature = 10 ** (step / 20); update(); }).node] : [])),
  div("pair", plain.node, scaled.node));
  return update;
};
