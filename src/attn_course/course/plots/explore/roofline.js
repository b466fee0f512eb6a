// What decoding waits for: operations per byte that is read, against those that a processor does in that time.
KINDS.roofline = (ui, data, say) => {
  const [LEAST, MOST] = [-1, 11]; // powers of 2: from half an operation per byte to 2,048
  const state = { heads: data.heads, rows: 0, device: 0 };
  const x = range(10 * (MOST - LEAST) + 1, (index) => LEAST + index / 10);
  const FEWEST = -3; // powers of 10: from a thousandth of the arithmetic to all
  const ticks = range(1 - FEWEST, (index) => FEWEST + index);
  const plot = chart({ x, low: FEWEST, high: 0, ticks, labels: [], xlabel: "operations per byte read", ylabel: "share of the arithmetic that can be used" });
  plot.node.querySelector(".xs").append(...range(6, (index) => make("small", { style: `left:${(100 * (2 * index - LEAST)) / (MOST - LEAST)}%` }, (4 ** index).toLocaleString("en"))));
  plot.node.querySelectorAll(".ys small").forEach((node, index) => { node.textContent = `${100 * 10 ** ticks[index]}%`; });
  const entries = data.kinds.map((kind, index) => {
    const [gauge, number] = [make("i"), make("b", { className: "num" })];
    const node = div("entry", make("span", {}, make("i", { ariaHidden: "true" }), kind.name), number, hidden("gauge", gauge));
    node.style.setProperty("--c", COLORS[index % 5]);
    return { node, gauge, number };
  });
  const readout = make("p", { className: "read" });
  const update = () => {
    const device = data.devices[state.device];
    const heads = 2 ** state.heads;
    const found = data.kinds.map(({ rate, groups }) => (rate / 1000) * (heads / Math.min(groups ?? heads, heads)) * 2 ** state.rows / device.size);
    const share = (intensity) => Math.min(1, intensity / device.ridge);
    const reached = state.heads === data.heads && !state.rows ? device.reached ?? [] : [];
    const dots = (shares, style) => shares.map((value, index) => [clamp(Math.log2(found[index]), LEAST, MOST), Math.log10(value), ...style(index)]);
    plot.draw([{ y: x.map((power) => Math.log10(share(2 ** power))), color: "currentColor", bold: 1.6 }],
      { marks: [Math.log2(device.ridge)], dots: [...dots(found.map(share), (index) => [COLORS[index % 5]]), ...dots(reached.map((done) => done / device.most), () => ["currentColor", 6, "square"])] });
    const told = (value) => fixed(value, value < 10 ? 1 : 0);
    entries.forEach(({ gauge, number }, index) => {
      gauge.style.width = `${100 * share(found[index])}%`;
      number.textContent = `${told(found[index])} per byte, ${fixed(100 * share(found[index]), share(found[index]) < 0.1 ? 1 : 0)}%`;
    });
    const computing = data.kinds.filter((_, index) => found[index] >= device.ridge).map(({ name }) => name);
    readout.textContent = `${device.name}: ${told(device.ridge)} operations in the time of a byte. ${heads} heads, ${2 ** state.rows} new token${state.rows ? "s" : ""}: `
      + (computing.length ? `arithmetic limits ${computing.join(" and ")}${computing.length < found.length ? ", memory the others" : ""}.` : "memory limits all.")
      + (reached.length ? ` Squares: ${device.told}, in TFLOP/s: ${reached.map((done, index) => `${data.kinds[index].name} ${told(done)}`).join(", ")}.` : "");
    say(readout.textContent);
  };
  const menu = make("select", { ariaLabel: "Processor" }, ...data.devices.map(({ name }) => make("option", {}, name)));
  menu.addEventListener("change", () => { state.device = menu.selectedIndex; update(); });
  ui.append(div("sliders", slider("heads of the query", 3, 7, state.heads, (power) => `${2 ** power}`, (power) => { state.heads = power; update(); }).node,
    slider("new tokens at once", 0, 3, 0, (power) => `${2 ** power}`, (power) => { state.rows = power; update(); }).node, menu),
  plot.node, div("entries", ...entries.map(({ node }) => node)), readout);
  return update;
};
