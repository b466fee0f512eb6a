// Builds a mask: which pairs it allows, how many, and how far a stack of layers reaches.
const PRESETS = {
  "Full": { window: 0, stride: 0, global: 0, causal: false },
  "Causal": { window: 0, stride: 0, global: 0, causal: true },
  "Sliding window": { window: 4, stride: 0, global: 0, causal: true },
  "Strided (Sparse Transformer)": { window: 6, stride: 6, global: 0, causal: true },
  "Longformer": { window: 3, stride: 0, global: 2, causal: false },
};
const RULES = ["window", "stride", "global", "causal"];
const allowed = (set, row, column) => {
  if (set.causal && column > row) return false;
  if (!set.window && !set.stride && !set.global) return true;
  return Math.abs(row - column) < set.window || (set.stride > 0 && (row - column) % set.stride === 0) || row < set.global || column < set.global;
};
// What a position can depend on after so many layers: its own residual stream, and what the mask allows at each.
const reach = (mask, layers) => {
  let now = mask.map((_, row) => mask.map((_, column) => row === column));
  for (let layer = 0; layer < layers; layer++) {
    now = now.map((own, row) => own.map((has, column) => has || mask[row].some((open, middle) => open && now[middle][column])));
  }
  return now;
};
KINDS.pattern = (ui, data, say) => {
  const set = { ...data.settings };
  const painted = new Map();
  const at = { row: set.n - 1, column: set.n - 1 };
  const canvas = cells();
  const [line, pin] = [div("mark"), div("pin")];
  const field = make("div", { className: "face square", tabIndex: 0, role: "application",
    ariaLabel: "Mask: a row per query, a column per key. Arrow keys move, space opens or closes a pair." }, canvas, line, pin);
  const list = factList();
  const count = (values) => values.filter(Boolean).length;
  let mask = [];
  const update = () => {
    const { n, layers } = set;
    Object.assign(at, { row: Math.min(at.row, n - 1), column: Math.min(at.column, n - 1) });
    mask = range(n, (row) => range(n, (column) => painted.get(`${row} ${column}`) ?? allowed(set, row, column)));
    const far = reach(mask, layers);
    paint(canvas, n, n, (row, column) => (mask[row][column] ? 1 : far[row][column] ? 0.32 : 0));
    const step = 100 / n;
    line.style.cssText = `top:calc(${step * at.row}% - 2px);height:calc(${step}% + 4px)`;
    pin.style.cssText = `top:${step * at.row}%;height:${step}%;left:${step * at.column}%;width:${step}%`;
    const pairs = sum(mask.map(count));
    const percent = `${fixed((100 * pairs) / n ** 2, 1)} %`;
    const deep = layers === 1 ? "1 layer" : `${layers} layers`;
    facts(list, [["allowed pairs", `${pairs.toLocaleString("en")} of ${(n * n).toLocaleString("en")}`], ["share of n²", percent],
      [`query ${at.row + 1} sees`, `${count(mask[at.row])} keys`], [`and reaches after ${deep}`, `${count(far[at.row])} of ${n}`],
      [`pairs reached after ${deep}`, `${fixed((100 * sum(far.map(count))) / n ** 2, 1)} %`]]);
    clear.disabled = !painted.size;
    say(`${pairs} of ${n * n} pairs, ${percent}. Query ${at.row + 1} sees ${count(mask[at.row])} keys and reaches ${count(far[at.row])} after ${deep}. `
      + `Key ${at.column + 1} is ${mask[at.row][at.column] ? "open" : "closed"}.`);
  };
  const toggle = (open) => painted.set(`${at.row} ${at.column}`, open);
  arrows(field, (down, right) => {
    if (!down && !right) toggle(!mask[at.row][at.column]);
    Object.assign(at, { row: clamp(at.row + down, 0, set.n - 1), column: clamp(at.column + right, 0, set.n - 1) });
    update();
    return true;
  });
  let brush;
  drag(field, (x, y, first) => {
    Object.assign(at, { row: part(y, set.n), column: part(x, set.n) });
    if (first) brush = !mask[at.row][at.column];
    if (mask[at.row][at.column] !== brush) toggle(brush);
    update();
  });
  const clear = button("Undo painting", () => { painted.clear(); update(); });
  const preset = make("select", {}, ...["own choice", ...Object.keys(PRESETS)].map((name, index) => make("option", { value: index ? name : "" }, name)));
  const match = () => { preset.value = Object.keys(PRESETS).find((name) => RULES.every((key) => PRESETS[name][key] === set[key])) ?? ""; };
  const changed = (name) => (value) => { set[name] = value; painted.clear(); match(); update(); };
  const off = (value) => (value ? `${value}` : "off");
  const sliders = {
    n: slider("length n", 4, 64, set.n, String, (n) => { Object.assign(set, { n }); Object.assign(at, { row: n - 1, column: n - 1 }); painted.clear(); update(); }),
    window: slider("window", 0, 32, set.window, off, changed("window")),
    stride: slider("stride", 0, 16, set.stride, off, changed("stride")),
    global: slider("global tokens", 0, 8, set.global, off, changed("global")),
    layers: slider("layers", 1, 12, set.layers, String, (layers) => { Object.assign(set, { layers }); update(); }),
  };
  const causal = check("causal", set.causal, changed("causal"));
  preset.addEventListener("change", () => {
    Object.assign(set, PRESETS[preset.value]);
    painted.clear();
    causal.input.checked = set.causal;
    for (const name of ["window", "stride", "global"]) sliders[name].set(set[name]);
    update();
  });
  match();
  ui.append(div("pair",
    div("", caption("queries ↓ keys → (click or drag to paint)"), field,
      legend(["allowed", "background:var(--weight)"], ["reached through layers", "background:color-mix(in srgb, var(--weight) 32%, transparent)"], ["never", ""]), list),
    div("", make("label", { className: "slide" }, make("span", {}, "pattern"), preset), ...Object.values(sliders).map((one) => one.node),
      div("bar", causal.node, clear))));
  return update;
};
