// A query arrow over key arrows in the plane: turn it, stretch it, and scores, weights and output follow.
KINDS.arrows = (ui, data, say) => {
  const unit = (rows) => rows.map((row) => row.map((value) => value / 1000));
  const [keys, values, asks] = [unit(data.keys), unit(data.values), unit(data.asks)];
  const [REACH, SIZE] = [3, 260];
  const root = Math.sqrt(2);
  const state = { query: [...asks[data.start]] };
  const px = ([x, y]) => [SIZE / 2 + (x * SIZE) / 6.5, SIZE / 2 - (y * SIZE) / 6.5];
  const at = (point) => px(point).map((value) => fixed(value, 1)).join(" ");
  const path = (d, style) => `<path d="${d}" style="${style}"/>`;
  const text = ([x, y], words, style = "", anchor = "middle") => `<text x="${fixed(x, 1)}" y="${fixed(y, 1)}" text-anchor="${anchor}" style="${style}">${words}</text>`;
  const arrow = (end, color, thick) => {
    const length = Math.hypot(...end);
    if (length < 0.05) return "";
    const [x, y] = px(end);
    const [ux, uy] = [end[0] / length, -end[1] / length];
    const head = 6 + thick;
    const [bx, by] = [x - ux * head, y - uy * head];
    const side = head * 0.5;
    return path(`M${at([0, 0])}L${fixed(bx, 1)} ${fixed(by, 1)}`, `stroke:${color};stroke-width:${fixed(thick, 1)}`)
      + `<path d="M${fixed(x, 1)} ${fixed(y, 1)}L${fixed(bx - uy * side, 1)} ${fixed(by + ux * side, 1)}L${fixed(bx + uy * side, 1)} ${fixed(by - ux * side, 1)}z" style="fill:${color};stroke:none"/>`;
  };
  const plane = hidden("plane");
  const grip = div("grip");
  const board = div("board", plane, grip);
  const output = hidden("plane");
  const parts = data.words.map((word) => ({ word, score: make("span", { className: "num" }), bar: make("i"), share: make("b", { className: "num" }) }));
  const table = hidden("rows", ...["", "score", "weight", ""].map((word) => make("small", {}, word)),
    ...parts.flatMap(({ word, score, bar, share }) => [make("span", {}, word), score, div("gauge", bar), share]));
  const readout = make("p", { className: "read" });
  const polar = () => [Math.hypot(...state.query), (Math.atan2(state.query[1], state.query[0]) * 180) / Math.PI];
  const update = () => {
    const { query } = state;
    const length = Math.hypot(...query);
    const scores = keys.map((key) => dot(key, query) / root);
    const weights = softmax(scores);
    const found = [0, 1].map((axis) => sum(values.map((value, index) => weights[index] * value[axis])));
    const best = weights.indexOf(Math.max(...weights));
    const line = length < 0.05 ? "" : path(`M${at(query.map((part) => (-4 * part) / length))}L${at(query.map((part) => (4 * part) / length))}`, "stroke:var(--line);stroke-width:1;stroke-dasharray:2 4");
    const shadows = length < 0.05 ? "" : keys.map((key) => {
      const along = dot(key, query) / length / length;
      const foot = query.map((part) => part * along);
      return path(`M${at(key)}L${at(foot)}`, "stroke:var(--soft);stroke-width:1.2;stroke-dasharray:3 3") + `<circle cx="${fixed(px(foot)[0], 1)}" cy="${fixed(px(foot)[1], 1)}" r="3.2" style="fill:var(--soft)"/>`;
    }).join("");
    const names = keys.map((key, index) => {
      const [x, y] = px(key);
      return text([x + (key[0] < 0 ? -4 : 4), y + (key[1] > 0 ? -8 : 17)], data.words[index], `fill:var(--weight);font-weight:${index === best ? 700 : 400}`, key[0] < 0 ? "end" : "start");
    }).join("");
    plane.innerHTML = `<svg viewBox="0 0 ${SIZE} ${SIZE}">${path(`M0 ${SIZE / 2}H${SIZE}M${SIZE / 2} 0V${SIZE}`, "stroke:var(--line);stroke-width:1")}`
      + text([SIZE - 2, SIZE / 2 + 34], `${data.axes[0]} →`, "fill:var(--soft)", "end") + text([SIZE / 2 + 5, 14], `↑ ${data.axes[1]}`, "fill:var(--soft)", "start")
      + line + shadows + keys.map((key, index) => arrow(key, "var(--weight)", 1.8 + 5 * weights[index])).join("") + names
      + arrow(query, "var(--other)", 3.5) + `</svg>`;
    const [gx, gy] = px(query);
    Object.assign(grip.style, { left: `${(100 * gx) / SIZE}%`, top: `${(100 * gy) / SIZE}%` });
    const most = Math.max(...values.flat());
    const spot = ([x, y]) => [34 + (x / most) * 132, 150 - (y / most) * 122];
    const corner = values.map(spot);
    const here = spot(found);
    output.innerHTML = `<svg viewBox="0 0 200 190">`
      + path(`M${corner.map((point) => point.map((value) => fixed(value, 1)).join(" ")).join("L")}z`, "stroke:var(--line);stroke-width:1.2;fill:var(--tint)")
      + corner.map((point, index) => path(`M${point.map((value) => fixed(value, 1)).join(" ")}L${here.map((value) => fixed(value, 1)).join(" ")}`, `stroke:var(--weight);stroke-width:${fixed(0.6 + 7 * weights[index], 1)};opacity:.75`)).join("")
      + corner.map(([x, y], index) => text([x, y + (values[index][1] ? -9 : 18)], data.words[index], `fill:var(--weight);font-weight:${index === best ? 700 : 400}`)).join("")
      + `<circle cx="${fixed(here[0], 1)}" cy="${fixed(here[1], 1)}" r="8" style="fill:var(--other)"/>` + text([here[0] + 13, here[1] - 10], data.name, "fill:var(--other);font-weight:700", "start")
      + text([100, 187], `${data.gives[0]} →`, "fill:var(--soft)") + `<text transform="translate(11 92) rotate(-90)" text-anchor="middle" style="fill:var(--soft)">${data.gives[1]} →</text></svg>`;
    parts.forEach(({ score, bar, share }, index) => {
      score.textContent = told(scores[index]);
      bar.style.width = `${fixed(100 * weights[index], 1)}%`;
      share.textContent = fixed(weights[index]);
    });
    readout.textContent = `“${data.name}” = ${parts.map(({ word }, index) => `${fixed(weights[index])} ${word}`).join(" + ")}: ${data.gives.map((give, axis) => `${give} ${fixed(found[axis], 1)}`).join(", ")}.`;
    say(`Scores: ${parts.map(({ word }, index) => `${word} ${told(scores[index])}`).join(", ")}. ${readout.textContent}`);
  };
  const [length, angle] = polar();
  // Each of the two keeps what the other one says, to the last digit.
  const turn = slider("direction", -180, 180, angle, (value) => `${told(value, 0)}°`, (degrees) => byHand(polar()[0], degrees));
  const stretch = slider("length", 0, REACH, length, (value) => fixed(value, 1), (radius) => byHand(radius, polar()[0] > 0.01 ? polar()[1] : +turn.input.value), 0.1);
  const picks = choice(data.prompt, data.names, data.start, (index) => { state.query = [...asks[index]]; follow(); update(); });
  picks.querySelector("legend").className = "cap";
  const unpick = () => picks.querySelectorAll("input").forEach((input, index) => { input.checked = Math.hypot(state.query[0] - asks[index][0], state.query[1] - asks[index][1]) < 0.02; });
  const byHand = (radius, degrees) => {
    state.query = [radius * Math.cos((degrees * Math.PI) / 180), radius * Math.sin((degrees * Math.PI) / 180)];
    unpick();
    update();
  };
  const follow = () => {
    const [radius, degrees] = polar();
    stretch.set(radius);
    if (radius > 0.01) turn.set(degrees);
  };
  const move = (event) => {
    const box = board.getBoundingClientRect();
    const [x, y] = [((event.clientX - box.left) / box.width - 0.5) * 6.5, (0.5 - (event.clientY - box.top) / box.height) * 6.5];
    const shrink = Math.min(1, REACH / Math.hypot(x, y));
    state.query = [x, y].map((value) => Math.round(20 * value * shrink) / 20);
    follow();
    unpick();
    update();
  };
  // The grip alone follows a finger both ways; elsewhere a finger scrolls the page, and a tap turns the arrow there.
  let held = false;
  grip.addEventListener("pointerdown", (event) => { held = true; grip.setPointerCapture(event.pointerId); event.preventDefault(); });
  grip.addEventListener("pointermove", (event) => { if (held) move(event); });
  for (const name of ["pointerup", "pointercancel"]) grip.addEventListener(name, () => { held = false; });
  plane.addEventListener("click", move);
  ui.append(div("trio", div("cell", caption("query (drag it) and keys"), board), div("cell", caption("how well they line up"), table),
    div("cell", caption("what comes out"), output)), div("steer", picks, turn.node, stretch.node), readout);
  return update;
};
