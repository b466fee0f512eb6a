// Softmax without and with a sink, for scores that can all be raised or lowered, and a sink that can be moved.
KINDS.sink = (ui, data, say) => {
  const scores = data.scores.map((score) => score / 1000);
  const values = data.values.map((value) => value / 1000);
  const panel = (title, color) => {
    const columns = bars([...data.keys, "nothing"]);
    const list = factList();
    const node = div("panel", make("p", { className: "title" }, title), columns.node, list);
    node.style.setProperty("--c", color);
    columns.node.style.setProperty("--c", color);
    const show = (weights, share) => {
      const output = sum(weights.map((weight, index) => weight * share * values[index]));
      columns.show([...weights.map((weight) => weight * share), 1 - share]);
      facts(list, [["row sum", fixed(share)], ["output", fixed(output)]]);
      return `row sum ${fixed(share)}, output ${fixed(output)}`;
    };
    return { node, show };
  };
  const plain = panel("softmax", "var(--other)");
  const sunk = panel("with a sink", "var(--weight)");
  const state = { sink: data.sink / 1000, added: 0 };
  const list = factList();
  const update = () => {
    const now = scores.map((score) => score + state.added);
    const lse = Math.log(sum(now.map(Math.exp)));
    const share = 1 / (1 + Math.exp(state.sink - lse));
    const without = plain.show(softmax(now), 1);
    facts(list, [["lse", fixed(lse)], ["lse − b", fixed(lse - state.sink)], ["sigmoid(lse − b)", fixed(share)]]);
    say(`Softmax: ${without}. With a sink: ${sunk.show(softmax(now), share)}.`);
  };
  ui.append(div("sliders",
    slider("sink b", -60, 60, 10 * state.sink, (step) => fixed(step / 10, 1), (step) => { state.sink = step / 10; update(); }).node,
    slider("add to all scores", -60, 60, 0, (step) => fixed(step / 10, 1), (step) => { state.added = step / 10; update(); }).node),
  div("pair", plain.node, sunk.node), list);
  return update;
};
