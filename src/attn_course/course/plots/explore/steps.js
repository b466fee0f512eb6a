// Decoding, step by step: query, scores, weights and context change together.
KINDS.steps = (ui, data, say) => {
  const { rows, columns } = data;
  const thousand = (table) => table.map((row) => row.map((value) => (value === null ? -Infinity : value / 1000)));
  const [queries, scores, memory] = [thousand(data.queries), thousand(data.scores), thousand(data.memory)];
  const weights = scores.map(softmax);
  const contexts = weights.map((row) => memory[0].map((_, unit) => sum(row.map((weight, column) => weight * memory[column][unit]))));
  const finite = scores.flat().filter(Number.isFinite);
  const [low, high] = [Math.min(0, ...finite), Math.max(0, ...finite)];
  const largest = (table) => Math.max(1e-9, ...table.flat().map(Math.abs));
  const [strongest, brightest] = [largest(queries), largest(memory)];
  const state = { step: data.start };
  const written = hidden("toks out mono", ...rows.map((token) => make("span", { className: "tok" }, visible(token))));
  const query = cells("cells strip");
  const [vectors, context] = [cells("cells tall"), cells("cells tall")];
  const scoreBars = bars(columns.map(() => ""), { numbers: columns.length <= 8 });
  const weightBars = bars(columns, { numbers: columns.length <= 8 });
  const readout = make("p", { className: "read" });
  const side = (...text) => hidden("side", ...text.map((line) => make("span", {}, line)));
  const picture = div(data.vectors ? "decode" : "decode plain", side("query"), query, div(""), side("scores"), scoreBars.node, div(""), side("weights"), weightBars.node, div(""),
    side("memory"), vectors, context, div(""), hidden("cap end", "columns × weights"), hidden("cap end", "= context"));
  const update = () => {
    const { step } = state;
    [...written.children].forEach((token, index) => {
      token.classList.toggle("on", index === step);
      token.classList.toggle("later", index > step);
    });
    paint(query, 1, queries[step].length, (_, unit) => queries[step][unit] / strongest);
    const best = weights[step].indexOf(Math.max(...weights[step]));
    scoreBars.show(scores[step], { low, high: high === low ? 1 : high });
    weightBars.show(weights[step], { on: [best] });
    // Square roots, so that small weights stay to be seen; the context is drawn as it is.
    paint(vectors, memory[0].length, columns.length, (unit, column) =>
      (memory[column][unit] / brightest) * Math.sqrt(weights[step][column]));
    paint(context, memory[0].length, 1, (unit) => contexts[step][unit] / brightest);
    const order = range(columns.length, (column) => column).sort((one, two) => weights[step][two] - weights[step][one])
      .filter((column, rank) => rank < 3 && weights[step][column] >= 0.005);
    const text = order.map((column) => `“${visible(columns[column])}” (${column + 1}) ${fixed(weights[step][column])}`).join(", ");
    readout.replaceChildren(`Step ${step + 1} of ${rows.length} ${data.verb} `, make("b", { className: "mono" }, `“${visible(rows[step])}”`), `. Most weight: ${text}.`);
    back.disabled = step === 0;
    next.disabled = step === rows.length - 1;
    say(readout.textContent);
  };
  const go = (step) => { state.step = clamp(step, 0, rows.length - 1); steps.set(state.step); update(); };
  let timer = null;
  const stop = () => { clearInterval(timer); timer = null; play.textContent = "Play"; play.setAttribute("aria-label", "Play"); };
  const back = button("◀", () => { stop(); go(state.step - 1); }, "Step back");
  const next = button("▶", () => { stop(); go(state.step + 1); }, "Next step");
  const play = button("Play", () => {
    if (timer) return stop();
    if (state.step === rows.length - 1) go(0);
    play.textContent = "Stop";
    play.setAttribute("aria-label", "Stop");
    timer = setInterval(() => { go(state.step + 1); if (state.step === rows.length - 1) stop(); }, 1200);
  });
  const steps = slider("step", 0, rows.length - 1, state.step, (step) => `${step + 1} of ${rows.length}`, (step) => { stop(); state.step = step; update(); });
  const seen = check("scores and vectors", data.vectors, (on) => picture.classList.toggle("plain", !on));
  drag(written, (x, y, first, event) => {
    const found = [...written.children].map((token) => token.getBoundingClientRect()).findIndex((box) =>
      event.clientX >= box.left && event.clientX < box.right && event.clientY >= box.top && event.clientY < box.bottom);
    if (found >= 0) { stop(); go(found); }
  });
  ui.append(div("bar", div("grow", steps.node), div("bar", back, next, play)), div("", caption(data.row_label), written), picture, readout,
    div("bar", seen.node, legend(["positive", "background:var(--weight)"], ["negative", "background:var(--other)"])));
  return update;
};
