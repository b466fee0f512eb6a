// Luong's local window: drag the center, change its half width, turn the Gaussian on and off.
KINDS.window = (ui, data, say) => {
  const { tokens } = data;
  const size = tokens.length;
  const scores = data.scores.map((score) => score / 1000);
  const state = { center: data.center / 10, half: data.half / 2, gaussian: data.gaussian };
  const columns = bars(tokens);
  const readout = make("p", { className: "read" });
  const list = factList();
  const shade = div("shade");
  const curve = make("div", { className: "curve" });
  columns.area.prepend(shade);
  columns.area.append(curve);
  columns.area.classList.add("face");
  const update = () => {
    const { center, half, gaussian } = state;
    const inside = tokens.map((_, position) => Math.abs(position - center) <= half);
    const bell = (position) => Math.exp(-((position - center) ** 2) / (2 * (half / 2) ** 2));
    const content = softmax(scores.map((score, position) => (inside[position] ? score : -Infinity)));
    const weights = content.map((weight, position) => weight * (gaussian ? bell(position) : 1));
    const top = Math.max(0.1, ...content) * 1.15;
    const within = (values) => values.map((value, position) => (inside[position] ? value : NaN));
    columns.show(within(weights), { high: top, ghosts: within(content) });
    const across = (position) => (100 * (position + 0.5)) / size;
    const [left, right] = [Math.max(0, across(center - half)), Math.min(100, across(center + half))];
    Object.assign(shade.style, { left: `${left}%`, width: `${right - left}%` });
    const points = range(61, (index) => center - half + (2 * half * index) / 60);
    const path = gaussian ? `M${points.map((position) => `${fixed(across(position))} ${fixed(100 - 92 * bell(position))}`).join("L")}` : "";
    curve.innerHTML = `<svg viewBox="0 0 100 100" preserveAspectRatio="none"><path d="${path}"/><path d="M${across(center)} 0V100" class="mid"/></svg>`;
    const count = inside.filter(Boolean).length;
    const total = sum(weights);
    facts(list, [["positions in the window", `${count} of ${size}`], ["σ = D / 2", fixed(half / 2)], ["sum of the weights", fixed(total)]]);
    const best = weights.indexOf(Math.max(...weights));
    readout.textContent = `Center ${fixed(center, 1)}, half width ${fixed(half, 1)}: `
      + (total ? `positions ${inside.indexOf(true)} to ${inside.lastIndexOf(true)}, most weight on “${visible(tokens[best])}” (${best}): ${fixed(weights[best])}.` : "no position in the window, a zero context.");
    say(readout.textContent);
  };
  const move = (center) => { state.center = clamp(Math.round(10 * center) / 10, 0, size - 1); centers.set(Math.round(10 * state.center)); update(); };
  const centers = slider("center p", 0, 10 * (size - 1), data.center, (value) => fixed(value / 10, 1), (value) => { state.center = value / 10; update(); });
  const halves = slider("half width D", 1, Math.max(2 * size, data.half), data.half, (value) => fixed(value / 2, 1), (value) => { state.half = value / 2; update(); });
  const gaussian = check("Gaussian around the center", state.gaussian, (on) => { state.gaussian = on; update(); });
  drag(columns.area, (x) => move(x * size - 0.5));
  ui.append(caption("drag the window; outline: softmax over the window, filled: times the Gaussian"), columns.node,
    div("sliders", centers.node, halves.node, gaussian.node), div("pair", readout, list));
  return update;
};
