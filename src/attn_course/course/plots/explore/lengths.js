// Results against the length: a slider, a line per model with its spread, and what each wrote.
KINDS.lengths = (ui, data, say) => {
  const { lengths, series, low, high } = data;
  const state = { at: data.start };
  const thousandth = (values) => values?.map((value) => value / 1000);
  const drawn = series.map((one, index) => ({ y: thousandth(one.mean), low: thousandth(one.low), high: thousandth(one.high),
    color: COLORS[index % 5], dash: DASHES[index % 5] }));
  const plot = chart({ x: lengths, low, high, ticks: range(5, (index) => low + ((high - low) * index) / 4), labels: data.labels, xlabel: data.xlabel, ylabel: data.ylabel });
  const entries = series.map((one, index) => {
    const gauge = make("i");
    const number = make("b", { className: "num" });
    const node = div("entry", make("span", {}, one.name), number, hidden("gauge", gauge));
    node.style.setProperty("--c", COLORS[index % 5]);
    const key = make("i", { ariaHidden: "true" });
    key.innerHTML = `<svg viewBox="0 0 30 8"><path d="M1 4H29" style="stroke:${COLORS[index % 5]};stroke-width:2.4;stroke-dasharray:${DASHES[index % 5]}"/></svg>`;
    node.firstChild.prepend(key);
    return { node, gauge, number };
  });
  const written = make("table", { className: "answers" });
  const update = () => {
    const { at } = state;
    plot.draw(drawn, { marks: [lengths[at]], dots: drawn.map((one) => [lengths[at], one.y[at], one.color]) });
    const texts = drawn.map((one) => fixed(one.y[at]) + (one.low ? ` (${fixed(one.low[at])} to ${fixed(one.high[at])})` : ""));
    entries.forEach(({ gauge, number }, index) => {
      gauge.style.width = `${(100 * (drawn[index].y[at] - low)) / (high - low)}%`;
      number.textContent = texts[index];
    });
    const example = data.examples?.[lengths[at]];
    if (data.examples) written.replaceChildren(...Object.entries(example ?? { "no example of this length": "" }).map(([name, text]) =>
      make("tr", {}, make("td", {}, name), make("td", { className: "mono" }, visible(text)))));
    say(`${data.xlabel} ${lengths[at]}. ${series.map((one, index) => `${one.name}: ${texts[index]}`).join(", ")}.`);
  };
  const steps = slider(data.xlabel, 0, lengths.length - 1, state.at, (at) => `${lengths[at]}`, (at) => { state.at = at; update(); });
  drag(plot.area, (x) => {
    const wanted = lengths[0] + x * (lengths.at(-1) - lengths[0]);
    const gaps = lengths.map((length) => Math.abs(length - wanted));
    state.at = gaps.indexOf(Math.min(...gaps));
    steps.set(state.at);
    update();
  });
  ui.append(steps.node, plot.node, div("entries", ...entries.map((entry) => entry.node)), ...(data.examples ? [written] : []));
  return update;
};
