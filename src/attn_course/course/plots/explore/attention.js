// Weights of layers and heads: lines from a query to its keys, or a grid; heads as small pictures.
KINDS.attention = (ui, data, say) => {
  const { rows, columns } = data;
  const [layers, heads] = [data.weights.length, data.weights[0].length];
  const across = brief([...rows, ...columns]); // characters stand in a line, words below each other
  const maps = data.weights.flat();
  const state = { map: data.start[0] * heads + data.start[1], row: data.start[2], peek: null, column: null, view: data.grid ? 1 : 0 };
  const weight = (row, column, map = state.map) => maps[map][row * columns.length + column] / 1000;
  // Called by their names alone: several models, say, which are no heads of one.
  const called = (map) => {
    if (data.choose) return data.names[map];
    return `layer ${Math.floor(map / heads) + 1}${heads > 1 ? `, head ${(map % heads) + 1}` : ""}`;
  };
  const stage = div("stage");
  const readout = make("p", { className: "read" });
  const share = (count, other) => Math.min(100, (160 * count) / other);
  const [rowShare, columnShare] = [share(rows.length, columns.length), share(columns.length, rows.length)];
  const place = (index, count, wide) => (across ? 50 + ((index + 0.5) / count - 0.5) * wide : (100 * (index + 0.5)) / count);
  let draw = () => {};

  const tokens = () => make("div", { className: "toks", role: "radiogroup", ariaLabel: data.row_label },
    ...radios("row", rows.map((token) => `${visible(token)}, ${data.row_label}`), state.row,
      (row) => { Object.assign(state, { row, peek: null, column: null }); draw(); },
      (input, index) => make("label", { className: "tok" }, input, visible(rows[index]))));
  const curve = (row, column) => {
    const [from, to] = [place(row, rows.length, rowShare), place(column, columns.length, columnShare)];
    const path = across ? `M${from} 100C${from} 45 ${to} 55 ${to} 0` : `M0 ${from}C45 ${from} 55 ${to} 100 ${to}`;
    return `<path d="${path}" stroke-width="${fixed(Math.max(0.7, 13 * weight(row, column)))}"/>`;
  };
  const curves = (row, least) => columns.map((_, column) => (weight(row, column) >= least ? curve(row, column) : "")).join("");
  const tell = (row) => {
    const order = columns.map((_, column) => column).sort((one, two) => weight(row, two) - weight(row, one))
      .filter((column, rank) => (data.verb || rank < 3) && weight(row, column) >= 0.005);
    const rest = Math.max(0, sum(columns.map((_, column) => weight(row, column))) - sum(order.map((column) => weight(row, column))));
    const name = (column) => [make("span", { className: "mono" }, `“${visible(columns[column])}”`),
      ...(data.verb ? [] : [across ? ` at ${column + 1}: ` : ": ", make("b", { className: "num" }, fixed(weight(row, column)))])];
    const parts = [make("b", { className: "mono" }, `“${visible(rows[row])}”`), ` (${row + 1} of ${rows.length}) ${data.verb ?? "attends to"} `];
    if (state.column !== null) parts.push(...name(state.column), "; most: ");
    order.forEach((column, index) => parts.push(index ? " · " : "", ...name(column)));
    if (!order.length) parts.push("nothing");
    if (rest >= 0.005 && columns.length > order.length) parts.push(" · rest: ", make("b", { className: "num" }, fixed(rest)));
    readout.replaceChildren(...parts);
    if (state.peek === null) {
      const name = called(state.map);
      say(`${maps[1] ? `${name[0].toUpperCase()}${name.slice(1)}. ` : ""}${readout.textContent}`);
    }
  };
  const mark = (list, row) => [...list.children].forEach((label, index) => {
    label.classList.toggle("on", index === row);
    if (state.peek === null) label.firstChild.checked = index === row;
  });
  // A mouse looks at the nearest query and then chooses it; a finger taps or moves sideways. A click without detail
  // comes from the keyboard and has no place.
  const follow = (node, nearest) => {
    node.addEventListener("pointermove", (event) => {
      const found = nearest(event);
      if (event.pointerType !== "touch") Object.assign(state, { peek: found.row, column: found.column });
      else if (Math.abs(event.movementX) > Math.abs(event.movementY)) Object.assign(state, found);
      draw();
    });
    node.addEventListener("click", (event) => { if (event.detail) { Object.assign(state, nearest(event), { peek: null }); draw(); } });
    node.addEventListener("pointerleave", () => { Object.assign(state, { peek: null, column: null }); draw(); });
  };
  const within = (event, box, axis, count) => part(axis ? (event.clientY - box.top) / box.height : (event.clientX - box.left) / box.width, count);

  const lines = () => {
    const list = tokens();
    const marks = columns.map(() => [make("i"), make("small", { className: "num" })]);
    const keys = hidden("toks", ...columns.map((token, column) => make("span", { className: "key" },
      ...(across ? [marks[column][0], visible(token)] : [visible(token), ...marks[column]]))));
    const between = hidden("");
    const all = rows.map((_, row) => curves(row, 0.08)).join("");
    between.innerHTML = `<svg viewBox="0 0 100 100" preserveAspectRatio="none"><g class="all">${all}</g><g class="one"></g></svg>`;
    const face = make("div", { className: `lines ${across ? "h" : "v"}`, style: `--n:${Math.max(rows.length, columns.length)}` },
      ...(across ? [keys, between, list] : [list, between, keys]));
    list.style.setProperty("--share", `${rowShare}%`);
    keys.style.setProperty("--share", `${columnShare}%`);
    follow(face, (event) => ({ column: null, row: within(event, list.getBoundingClientRect(), !across, rows.length) }));
    stage.replaceChildren(face);
    return () => {
      const row = state.peek ?? state.row;
      mark(list, row);
      between.querySelector(".one").innerHTML = curves(row, 0.005);
      marks.forEach(([bar, number], column) => {
        const value = weight(row, column);
        bar.style[across ? "height" : "width"] = `${value >= 0.005 ? 3.2 * value : 0}rem`;
        number.textContent = value >= 0.005 && !data.verb ? fixed(value) : "";
      });
      tell(row);
    };
  };
  const grid = () => {
    const list = tokens();
    const canvas = cells();
    const [line, pin] = [div("mark"), div("pin")];
    const field = make("div", { className: "face", style: `height:${fixed(rows.length * (across ? 1.35 : 1.75))}rem` }, canvas, line, pin);
    const heading = hidden(brief(columns) ? "cols mono" : "cols turn", ...columns.map((token) => make("span", {}, visible(token))));
    stage.replaceChildren(make("div", { className: "grid", style: `--n:${columns.length + 4}` }, heading, list, field));
    list.classList.toggle("mono", across);
    const nearest = (event) => {
      const box = field.getBoundingClientRect();
      return { row: within(event, box, 1, rows.length), column: within(event, box, 0, columns.length) };
    };
    follow(field, nearest);
    follow(list, (event) => ({ row: nearest(event).row, column: null }));
    paint(canvas, rows.length, columns.length, weight);
    return () => {
      const row = state.peek ?? state.row;
      const [high, wide] = [100 / rows.length, 100 / columns.length];
      mark(list, row);
      line.style.cssText = `top:calc(${high * row}% - 2px);height:calc(${high}% + 4px)`;
      pin.style.cssText = state.column === null ? "display:none" : `top:${high * row}%;height:${high}%;left:${wide * state.column}%;width:${wide}%`;
      tell(row);
    };
  };

  const where = caption();
  const show = () => {
    const [from, to] = [data.row_label, data.column_label];
    where.textContent = state.view ? `${from} ↓, ${to} →` : across ? `above: ${to}, below: ${from}` : `left: ${from}, right: ${to}`;
    draw = (state.view ? grid : lines)();
    draw();
  };
  ui.append(div("bar", where, choice("View", ["Lines", "Grid"], state.view, (view) => { state.view = view; show(); })));
  const small = [];
  if (maps[1]) {
    const texts = maps.map((_, index) => {
      const name = data.choose ? "" : data.names[index];
      return `${called(index)}${name ? `, ${name}` : ""}`;
    });
    const title = make("b", {}, texts[state.map]);
    const pictures = radios("head", texts, state.map, (index) => {
      state.map = index;
      title.textContent = texts[index];
      show();
    }, (input, index) => {
      const canvas = cells("");
      // With a verb the small pictures are blank: they would tell what is to be found out.
      small.push(() => paint(canvas, rows.length, columns.length, (row, column) =>
        data.verb ? 0 : Math.sqrt(weight(row, column, index))));
      return make("label", { className: "head", title: texts[index] }, input, canvas, ...(data.choose ? [caption(texts[index])] : []));
    });
    const table = make("div", { className: "heads", style: `grid-template-columns:auto repeat(${heads},auto)` });
    pictures.forEach((picture, index) => {
      if (index % heads === 0) table.append(caption(layers > 1 && !data.choose ? `layer ${index / heads + 1}` : ""));
      table.append(picture);
    });
    const what = data.choose ?? (heads > 1 ? "Heads" : "Layers");
    ui.append(make("fieldset", {}, make("legend", {}, `${what}; chosen: `, title), table));
  }
  ui.append(div("scroll", stage), readout);
  return () => { small.forEach((thumb) => thumb()); show(); };
};
