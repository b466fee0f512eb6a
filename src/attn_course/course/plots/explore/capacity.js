// A cliff that moves: sliders for size and length, the share that comes back right, and one string as it was written.
KINDS.capacity = (ui, data, say) => {
  const { lengths, sizes, trainings, texts } = data;
  const state = { training: data.start[0], size: data.start[1], at: data.start[2], moved: false };
  const runs = data.runs.map((one) => one.map((parts) => parts.map((part) => part.map((value) => value / 1000))));
  const plot = chart({ x: lengths, low: 0, high: 1, ticks: [0, 0.25, 0.5, 0.75, 1], labels: lengths, xlabel: data.xlabel, ylabel: data.ylabel });
  const readout = make("p", { className: "read" });
  const written = make("table", { className: "answers" });
  const half = (mean) => {
    const index = mean.findIndex((value) => value < 0.5);
    if (index < 0) return `Half or more come back right up to ${lengths.at(-1)} ${data.xlabel}.`;
    if (!index) return "Less than half come back right at every length.";
    const part = (mean[index - 1] - 0.5) / (mean[index - 1] - mean[index]);
    return `Half come back right at about ${Math.round(lengths[index - 1] + part * (lengths[index] - lengths[index - 1]))} ${data.xlabel}.`;
  };
  // Letters that stand where another one should, and gaps, are marked.
  const marked = (text, right) => range(Math.max(text.length, right.length), (index) =>
    text[index] === right[index] ? text[index] : make("b", { className: "off" }, text[index] ?? "–"));
  const update = () => {
    const { training, size, at } = state;
    const [mean, least, most] = runs[training][size];
    const lines = sizes.map((_, index) => ({ y: runs[training][index][0], color: COLORS[index % 5], bold: 1.4, faint: 0.5 }));
    lines[size] = { y: mean, low: least, high: most, color: COLORS[size % 5], bold: 3.6 };
    const others = trainings.map((_, index) => index).filter((index) => index !== training);
    // The other sizes are drawn once the size was moved: until then a reader may guess how they fare.
    plot.draw([...others.map((index) => ({ y: runs[index][size][0], color: COLORS[size % 5], dash: "5 4", bold: 1.6 })), ...lines.filter((_, index) => state.moved || index === size)],
      { marks: [lengths[at]], dots: [[lengths[at], mean[at], COLORS[size % 5]]] });
    const share = (value) => `${fixed(100 * value, 0)}%`;
    const name = data.size[0].toUpperCase() + data.size.slice(1);
    readout.textContent = `${name} ${sizes[size]}, ${trainings[training]}: of strings of ${lengths[at]} ${data.xlabel} `
      + `${share(mean[at])} ${data.ylabel} (${share(least[at])} to ${share(most[at])} over the runs). ${half(mean)}`;
    const [read, right] = texts[at];
    const wrote = data.wrote[training][size][at];
    const row = (name, ...parts) => make("tr", {}, make("td", {}, name), make("td", { className: "mono" }, ...parts));
    written.replaceChildren(row("read", read), row("right", right), row(wrote === right ? "written ✓" : "written ✗", ...marked(wrote, right)));
    say(`${readout.textContent} One of them, read ${read}, was written ${wrote === right ? "right" : wrote}.`);
  };
  const wide = slider(data.size, 0, sizes.length - 1, state.size, (index) => `${sizes[index]}`, (index) => { state.size = index; state.moved = true; update(); });
  const long = slider(data.xlabel, 0, lengths.length - 1, state.at, (at) => `${lengths[at]}`, (at) => { state.at = at; update(); });
  const picks = choice("trained for", trainings, state.training, (index) => { state.training = index; update(); });
  picks.querySelector("legend").className = "cap";
  drag(plot.area, (x) => {
    const wanted = lengths[0] + x * (lengths.at(-1) - lengths[0]);
    const gaps = lengths.map((length) => Math.abs(length - wanted));
    state.at = gaps.indexOf(Math.min(...gaps));
    long.set(state.at);
    update();
  });
  ui.append(div("steer", wide.node, long.node, picks), plot.node, written, readout);
  return update;
};
