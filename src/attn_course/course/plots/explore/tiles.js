// Flash attention: one tile after the other, with the running maximum and sum of a query's row.
KINDS.tiles = (ui, data, say) => {
  const scores = data.scores.map((row) => row.map((value) => value / 1000));
  const [rows, columns] = [scores.length, scores[0].length];
  const state = { block: data.block, step: 0, row: 0 };
  const largest = Math.max(1e-9, ...scores.flat().map(Math.abs));
  const canvas = cells();
  const [tile, done, line] = [div("pin"), div("done"), div("mark")];
  const field = make("div", { className: "face", style: `aspect-ratio:${columns}/${rows}` }, canvas, done, tile, line);
  const row = bars(range(columns, (index) => `${index + 1}`), { numbers: columns <= 8 });
  const list = factList();
  const readout = make("p", { className: "read" });
  const count = () => ({ down: Math.ceil(rows / state.block), right: Math.ceil(columns / state.block) });
  const update = () => {
    const { block, step } = state;
    const { down, right } = count();
    const [top, place] = [Math.floor(step / right), step % right];
    const last = Math.min(rows, (top + 1) * block) - 1;
    state.row = clamp(state.row, top * block, last);
    const own = scores[state.row];
    const [start, end] = [place * block, Math.min(columns, (place + 1) * block)];
    const upTo = (limit) => { const part = own.slice(0, limit); const max = Math.max(...part); return { max, total: sum(part.map((score) => Math.exp(score - max))) }; };
    const [before, now] = [upTo(start), upTo(end)];
    const factor = start ? Math.exp(before.max - now.max) : 0;
    paint(canvas, rows, columns, (one, two) => scores[one][two] / largest);
    const percent = (part, all) => `${(100 * part) / all}%`;
    Object.assign(tile.style, { top: percent(top * block, rows), height: percent(last + 1 - top * block, rows), left: percent(start, columns), width: percent(end - start, columns) });
    const [far, low] = [percent(end, columns), percent(top * block, rows)];
    const bottom = percent(last + 1, rows);
    done.style.clipPath = `polygon(0 ${bottom}, ${far} ${bottom}, ${far} ${low}, 100% ${low}, 100% 100%, 0 100%)`;
    Object.assign(line.style, { top: `calc(${percent(state.row, rows)} - 2px)`, height: `calc(${percent(1, rows)} + 4px)` });
    row.show(own.map((score, index) => (index < end ? Math.exp(score - now.max) / now.total : NaN)),
      { ghosts: softmax(own), high: Math.max(...own.map((score, index) => (index < end ? Math.exp(score - now.max) / now.total : 0)), ...softmax(own)) * 1.08, on: range(end - start, (index) => start + index) });
    facts(list, [["largest score so far, m", start ? `${told(before.max)} → ${told(now.max)}` : told(now.max)], ["old sum times exp(m old − m new)", start ? `× ${fixed(factor, 3)}` : "–"],
      ["sum so far, ℓ", start ? `${fixed(before.total)} → ${fixed(now.total)}` : fixed(now.total)], ["scores held at once", `${block * block} of ${rows * columns}`]]);
    readout.textContent = `Tile ${step + 1} of ${down * right}: query ${state.row + 1}, keys ${start + 1} to ${end}. `
      + (end === columns ? "The row is complete: these are the exact weights." : !start ? "The row begins." : now.max > before.max ? "A larger score came: what was summed shrinks." : "The largest score stays: the sum only grows.");
    back.disabled = step === 0;
    next.disabled = step === down * right - 1;
    say(readout.textContent);
  };
  const go = (step) => { const { down, right } = count(); state.step = clamp(step, 0, down * right - 1); steps.input.max = down * right - 1; steps.set(state.step); update(); };
  const back = button("◀", () => go(state.step - 1), "Step back");
  const next = button("▶", () => go(state.step + 1), "Next tile");
  const total = count();
  const steps = slider("tile", 0, total.down * total.right - 1, 0, (step) => `${step + 1} of ${count().down * count().right}`, (step) => { state.step = step; update(); });
  const blocks = slider("block size", 1, Math.min(rows, columns), state.block, String, (block) => { state.block = block; go(0); });
  drag(field, (x, y) => {
    state.row = part(y, rows);
    go(Math.floor(state.row / state.block) * count().right + Math.floor(part(x, columns) / state.block));
  });
  ui.append(div("sliders", steps.node, blocks.node, div("bar", back, next)), div("pair",
    div("", caption("scores: queries ↓ keys → (choose a tile)"), field, legend(["positive", "background:var(--weight)"], ["negative", "background:var(--other)"])),
    div("", caption("weights of the query: filled so far, outline in the end"), row.node, list)), readout);
  return update;
};
