// What decoding waits for: operations per byte that is read, against those that a processor does in that time.
KINDS.roofline = (ui, data, say) => {
  const state = { heads: data.heads, rows: 0 };
  const x = range(121, (index) => index / 10 - 1); // powers of 2: from half an operation per byte to 2,048
  // And of 10: from a thousandth of the arithmetic to all.
  const plot = chart({ x, low: -3, high: 0, ticks: [-3, -2, -1, 0], says: (power) => `${100 * 10 ** power}%`,
    labels: [0, 2, 4, 6, 8, 10], name: (power) => (2 ** power).toLocaleString("en"), xlabel: "operations per byte read", ylabel: "share of the arithmetic that can be used" });
  const entries = data.kinds.map(({ name }, index) => {
    const [gauge, number] = [make("i"), make("b", { className: "num" })];
    const node = div("entry", make("span", {}, make("i", { ariaHidden: "true" }), name), number, hidden("gauge", gauge));
    node.style.setProperty("--c", COLORS[index]);
    return { node, gauge, number };
  });
  const readout = make("p", { className: "read" });
  const update = () => {
    const device = data.devices[menu.selectedIndex];
    const heads = 2 ** state.heads;
    const found = data.kinds.map(({ rate, groups }) => (rate / 1000) * (heads / Math.min(groups ?? heads, heads)) * 2 ** state.rows / device.size);
    const share = (intensity) => Math.min(1, intensity / device.ridge);
    const { reached = [], said = "" } = state.heads === data.heads && !state.rows ? device : {}; // measured so
    plot.draw([{ y: x.map((power) => Math.log10(share(2 ** power))), color: "currentColor", bold: 1.6 }],
      { marks: [Math.log2(device.ridge)], dots: [...found.map(share), ...reached].map((value, index) =>
        [clamp(Math.log2(found[index % found.length]), -1, 11), Math.log10(value), index < found.length ? COLORS[index] : "currentColor;stroke-width:6;stroke-linecap:square"]) });
    const told = (value) => fixed(value, value < 10 ? 1 : 0);
    entries.forEach(({ gauge, number }, index) => {
      gauge.style.width = `${100 * share(found[index])}%`;
      number.textContent = `${told(found[index])} per byte, ${told(100 * share(found[index]))}%`;
    });
    const computing = data.kinds.filter((_, index) => found[index] >= device.ridge).map(({ name }) => name);
    readout.textContent = `${device.name}: ${told(device.ridge)} operations in the time of a byte. ${heads} heads, ${2 ** state.rows} new token${state.rows ? "s" : ""}: `
      + (computing.length ? `arithmetic limits ${computing.join(" and ")}${computing.length < found.length ? ", memory the others" : ""}.` : "memory limits all.") + said;
    say(readout.textContent);
  };
  const menu = make("select", { ariaLabel: "Processor" }, ...data.devices.map(({ name }) => make("option", {}, name)));
  menu.addEventListener("change", update);
  ui.append(div("sliders", slider("heads of the query", 3, 7, state.heads, (power) => `${2 ** power}`, (power) => { state.heads = power; update(); }).node,
    slider("new tokens at once", 0, 3, 0, (power) => `${2 ** power}`, (power) => { state.rows = power; update(); }).node, menu),
  plot.node, div("entries", ...entries.map(({ node }) => node)), readout);
  return update;
};
