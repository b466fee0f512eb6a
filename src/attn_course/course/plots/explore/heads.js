// Heads on and off: what was measured for the chosen set.
KINDS.heads = (ui, data, say) => {
  const [layers, heads] = data.shape;
  const total = layers * heads;
  const on = Array(total).fill(true);
  const label = (index) => data.names[index] ?? (layers > 1 ? `layer ${Math.floor(index / heads) + 1}, head ${(index % heads) + 1}` : `head ${index + 1}`);
  const short = (index) => (layers > 1 ? `${Math.floor(index / heads) + 1}.${(index % heads) + 1}` : `${index + 1}`);
  const key = (states) => states.map((state) => (state ? 1 : 0)).join("");
  const small = [];
  const boxes = range(total, (index) => {
    const box = check(short(index), true, (state) => { on[index] = state; update(); });
    box.input.setAttribute("aria-label", label(index));
    box.node.title = label(index);
    if (data.weights) {
      const [rows, columns] = data.size;
      const canvas = cells("");
      small.push(() => paint(canvas, rows, columns, (row, column) => Math.sqrt(data.weights[index][row * columns + column] / 1000)));
      box.node.append(canvas);
    }
    return box;
  });
  const table = make("div", { className: "switches", style: `--heads:${heads}` }, ...boxes.map((box) => box.node));
  const gauge = make("i");
  const number = make("b", { className: "big num" });
  const readout = make("p", {});
  const list = factList();
  const answers = make("table", { className: "answers" });
  const show = (value) => `${fixed(value / 1000, 3)}`;
  const full = data.results[key(on.map(() => true))];
  const update = () => {
    const found = data.results[key(on)];
    const left = on.filter(Boolean).length;
    boxes.forEach((box, index) => {
      // A switch whose next state was not measured says so by a dashed frame.
      const next = key(on.map((state, other) => (other === index ? !state : state)));
      box.node.classList.toggle("open", !(next in data.results));
      box.node.classList.toggle("off", !on[index]);
    });
    gauge.style.width = found ? `${found[0] / 10}%` : "0";
    number.textContent = found ? show(found[0]) : "not measured";
    const off = range(total, (index) => index).filter((index) => !on[index]);
    facts(list, [["heads on", `${left} of ${total}`], ["with all heads", full ? show(full[0]) : "not measured"],
      ["difference", found && full ? told((found[0] - full[0]) / 1000, 3) : "–"], ...(found?.length > 1 ? [["interval", `${show(found[1])} to ${show(found[2])}`]] : [])]);
    readout.textContent = `Off: ${off.length ? off.map(label).join(", ") : "none"}`;
    const texts = data.answers?.[key(on)];
    if (data.answers) answers.replaceChildren(...data.expected.map((right, index) => make("tr", {}, make("td", { className: "mono" }, data.inputs?.[index] ?? right),
      make("td", { className: "mono" }, texts?.[index] ?? "–"), make("td", {}, !texts ? "" : texts[index] === right ? "✓ right" : "✗ wrong"))));
    say(`${data.metric}: ${number.textContent}. ${readout.textContent}.`);
  };
  const all = (state) => { boxes.forEach((box, index) => { on[index] = box.input.checked = state; }); update(); };
  ui.append(make("fieldset", {}, make("legend", {}, data.weights ? "Heads that are on, with their weights" : "Heads that are on"), table),
    div("bar", button("All on", () => all(true)), button("All off", () => all(false)), caption(data.open ? "dashed: not measured from here" : "")),
    div("pair", div("", caption(data.metric), number, hidden("gauge", gauge), readout), list), ...(data.answers ? [answers] : []));
  return () => { small.forEach((thumb) => thumb()); update(); };
};
