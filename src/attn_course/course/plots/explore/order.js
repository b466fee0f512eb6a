// Tokens in another order: without positions the outputs of self-attention follow their tokens.
KINDS.order = (ui, data, say) => {
  const { tokens, gives } = data;
  const n = tokens.length;
  const thousand = (table) => table?.map((row) => row.map((value) => value / 1000));
  const [x, query, key, value, positions] = ["x", "query", "key", "value", "positions"].map((name) => thousand(data[name]));
  const times = (rows, weight) => rows.map((row) => weight[0].map((_, column) => sum(row.map((entry, index) => entry * weight[index][column]))));
  const natural = range(n, (index) => index);
  const state = { order: [...natural], token: data.start, told: false };
  const attend = (order) => {
    const input = order.map((token, place) => x[token].map((entry, unit) => entry + (state.told ? positions[place][unit] : 0)));
    const [queries, keys, values] = [query, key, value].map((weight) => times(input, weight));
    const weights = queries.map((one) => softmax(keys.map((other) => dot(one, other) / Math.sqrt(one.length))));
    return { weights, outputs: times(weights, values) };
  };
  const panel = (title, list) => {
    const [grid, strip] = [cells(), cells("cells out")];
    const [row, column] = [div("mark"), div("mark upright")];
    // Few tokens: each weight stands in its cell.
    const written = range(n > 5 ? 0 : n * n, () => make("span", { className: "num" }));
    const table = hidden("numbers", ...written);
    table.style.setProperty("--n", n);
    const left = hidden("toks down"), heads = list ?? hidden("toks");
    const node = div("panel", make("p", { className: "title" }, title),
      div("square-box", div(""), heads, left, div("face", grid, table, row),
        ...(gives ? [] : [hidden("side", "output"), div("face thin", strip, column)])));
    const label = (token) => make("span", { className: "tok" }, visible(tokens[token]));
    const show = (order, { weights, outputs }, largest) => {
      if (!list) heads.replaceChildren(...order.map(label));
      left.replaceChildren(...order.map(label));
      const at = order.indexOf(state.token);
      [heads, left].forEach((one) => [...one.children].forEach((child, index) => child.classList.toggle("on", index === at)));
      row.style.cssText = `top:calc(${(100 * at) / n}% - 2px);height:calc(${100 / n}% + 4px)`;
      column.style.cssText = `left:calc(${(100 * at) / n}% - 2px);width:calc(${100 / n}% + 4px)`;
      paint(grid, n, n, (one, two) => weights[one][two]);
      written.forEach((one, place) => {
        const weight = weights[Math.floor(place / n)][place % n];
        one.textContent = fixed(weight);
        one.style.color = weight > 0.5 ? "var(--on)" : "inherit";
      });
      if (!gives) paint(strip, outputs[0].length, n, (unit, place) => outputs[place][unit] / largest);
    };
    return { node, show };
  };
  const list = make("div", { className: "toks drag", role: "radiogroup", ariaLabel: "token to move" });
  const build = () => {
    list.replaceChildren(...radios("token", state.order.map((token, place) => `${tokens[token]}, place ${place + 1}`), state.order.indexOf(state.token),
      (place) => { state.token = state.order[place]; update(); }, (input, place) => make("label", { className: "tok" }, input, visible(tokens[state.order[place]]))));
  };
  const before = panel("as written");
  const after = panel("your order (drag a token)", list);
  const numbers = (values) => gives ? gives.map((name, unit) => `${name} ${told(values[unit])}`).join(", ")
    : values.slice(0, 3).map((entry) => told(entry)).join(", ") + (values.length > 3 ? ", …" : "");
  const readout = make("p", { className: "read" });
  const listed = factList();
  const update = () => {
    const [old, now] = [attend(natural), attend(state.order)];
    const largest = Math.max(1e-9, ...old.outputs.flat().map(Math.abs), ...now.outputs.flat().map(Math.abs));
    before.show(natural, old, largest);
    after.show(state.order, now, largest);
    const change = Math.max(...state.order.map((token, place) => Math.max(...now.outputs[place].map((entry, unit) => Math.abs(entry - old.outputs[token][unit])))));
    const place = state.order.indexOf(state.token);
    facts(listed, [[`output of “${tokens[state.token]}” at place ${state.token + 1}`, numbers(old.outputs[state.token])], [`at place ${place + 1} in your order`, numbers(now.outputs[place])],
      ...(gives ? [] : [["largest change of any token's output", fixed(change, 3)]])]);
    readout.textContent = state.order.every((token, index) => token === index) ? "The order is as written. Move a token."
      : change < 5e-4 ? "Rows, columns and outputs moved with their tokens. No token's output changed."
        : "Positions were added: outputs changed, so order counts.";
    back.disabled = place === 0;
    forth.disabled = place === n - 1;
    say(`${state.order.map((token) => tokens[token]).join(" ")}. ${readout.textContent}`);
  };
  const to = (order) => { state.order = order; build(); update(); };
  const shift = (place) => {
    const order = state.order.filter((token) => token !== state.token);
    order.splice(clamp(place, 0, n - 1), 0, state.token);
    to(order);
  };
  const by = (step) => shift(state.order.indexOf(state.token) + step);
  const back = button("◀ Move", () => by(-1), "Move the token to the left");
  const forth = button("Move ▶", () => by(1), "Move the token to the right");
  drag(list, (share, _, first) => {
    const place = part(share, n);
    if (first) { state.token = state.order[place]; build(); update(); }
    else if (place !== state.order.indexOf(state.token)) shift(place);
  });
  const added = positions && check("add positions", false, (on) => { state.told = on; update(); });
  build();
  ui.append(div("bar", back, forth, button("Reverse", () => to([...state.order].reverse())), button("Rotate", () => to([...state.order.slice(1), state.order[0]])),
    button("As written", () => to([...natural])), ...(added ? [added.node] : [])), div("pair", before.node, after.node), div("pair", readout, listed));
  return update;
};
