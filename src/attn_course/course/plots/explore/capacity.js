// A cliff that moves: sliders for size and length, the share that comes back right, and one string as it was written.
KINDS.capacity = (ui, data, say) => {
  const { lengths, sizes, trainings, texts } = data;
  const state = { training: data.start[0], size: data.start[1], at: data.start[2], moved: false };
  const runs = data.runs.map((one) => one.map((parts) => parts.map((part) => part.map((value) => value / 1000))));
  const plot = chart({ x: lengths, low: 0, high: 1, ticks: [0, 0.25, 0.5, 0.75, 1], labels: lengths, xlabel: data.xlabel, ylabel: data.ylabel });
  const readout = make("p", { className: "read" });
  const written = make("table", { className: "answers" });
  // The length at which a line falls below a share; NaN where it does not.
  const crossing = (mean, share) => {
    const index = mean.findIndex((value) => value < share);
    const part = (mean[index - 1] - share) / (mean[index - 1] - mean[index]);
    return lengths[index - 1] + part * (lengths[index] - lengths[index - 1]);
  };
  const half = (mean) => {
    const at = crossing(mean, 0.5);
    if (at) return `Half come back right at about ${Math.round(at)} ${data.xlabel}.`;
    return mean[0] < 0.5 ? "Less than half come back right at every length." : `Half or more come back right up to ${lengths.at(-1)} ${data.xlabel}.`;
  };
  // The name of a line: beside the place where it falls below a share, or below its end.
  const named = ({ name, part, y, color }) => {
    const x = (100 * (crossing(y, part) - lengths[0])) / (lengths.at(-1) - lengths[0]);
    const [left, high] = x < 90 ? [x, part] : [100, y.at(-1)];
    return make("small", { className: x < 90 ? "" : "end", style: `left:${left}%;top:${100 - 100 * high}%;color:${color}` }, `${name}`);
  };
  // Letters that stand where another one should, and gaps, are marked.
  const marked = (text, right) => range(Math.max(text.length, right.length), (index) =>
    text[index] === right[index] ? text[index] : make("b", { className: "off" }, text[index] ?? "–"));
  const update = () => {
    const { training, size, at } = state;
    const [mean, least, most] = runs[training][size];
    const color = COLORS[size % 5];
    const lines = sizes.map((name, index) => ({ name: index === size ? `${data.size} ${name}` : name, part: 0.5, y: runs[training][index][0], color: COLORS[index % 5], bold: 1.4, faint: 0.5 }));
    Object.assign(lines[size], { low: least, high: most, bold: 3.6, faint: 1 });
    const others = trainings.flatMap((name, index) => (index === training ? []
      : { name: name.split(" ")[0], part: 0.75, y: runs[index][size][0], color, dash: "5 4", bold: 1.6 }));
    // The other sizes are drawn once the size was moved: until then a reader may guess how they fare.
    const drawn = [...others, ...lines.filter((_, index) => state.moved || index === size)];
    plot.draw(drawn, { marks: [lengths[at]], dots: [[lengths[at], mean[at], color]] });
    plot.area.append(...drawn.map(named));
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
