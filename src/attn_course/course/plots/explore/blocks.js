// The blocks of a pool over the steps of a server: who holds each, what is shared, known by name alone, or free.
KINDS.blocks = (ui, data, say) => {
  const { states, pool } = data;
  const last = pool.length - 1;
  const state = { step: data.start };
  const KIND = ["", "reads", "writes", "back"];
  const fill = (who) => `linear-gradient(90deg,${who.map((one, n) => `var(--s${one}) ${(100 * n) / who.length}% ${(100 * (n + 1)) / who.length}%`)})`;
  const cell = (who, className = "", named = who) =>
    make("i", { className, style: who.length ? `background:${fill(who)}` : "" }, ...named.map((one) => make("span", {}, `${one + 1}`)));
  const line = (name, children) => {
    const node = div("line", ...children);
    node.style.setProperty("--n", pool.length);
    return [make("span", { className: "who num" }, name), node];
  };
  const asked = states.flatMap((row, one) => line(`${one + 1}`, row.map((what) =>
    (what === 3 ? make("i", { className: "kept back" }) : cell(what ? [one] : [], KIND[what], [])))));
  const blocks = pool[0].flatMap((_, n) => line(`${n + 1}`, pool.map((step) => cell(step[n] ?? [], step[n] && !step[n].length ? "kept" : ""))));
  const table = hidden("pool", caption("requests, step →"), ...asked, caption("blocks, and who holds them"), ...blocks);
  const readout = make("p", { className: "read" });
  const update = () => {
    const now = pool[state.step];
    const of = (chosen) => range(now.length, (n) => n).filter((n) => chosen(now[n])).map((n) => n + 1).join(", ");
    const told = states.map((_, one) => [`request ${one + 1}`, of((who) => who?.includes(one))]);
    told.push(["shared", of((who) => who?.length > 1)], ["known by name alone", of((who) => who && !who.length)], ["free", of((who) => !who)]);
    table.querySelectorAll(".line").forEach(({ children }) => [...children].forEach((one, step) => one.classList.toggle("now", step === state.step)));
    readout.textContent = `Step ${state.step + 1} of ${pool.length}. Blocks: ${told.filter(([, which]) => which).map(([name, which]) => `${name}: ${which}`).join("; ")}.`;
    back.disabled = state.step === 0;
    next.disabled = state.step === last;
    say(readout.textContent);
  };
  const go = (step) => { state.step = clamp(step, 0, last); steps.set(state.step); update(); };
  const back = button("◀", () => go(state.step - 1), "Step back");
  const next = button("▶", () => go(state.step + 1), "Next step");
  const steps = slider("step", 0, last, state.step, (step) => `${step + 1} of ${pool.length}`, (step) => { state.step = step; update(); });
  ui.append(div("bar", div("grow", steps.node), div("bar", back, next)), table,
    legend(["reads: pale; writes: full", "background:var(--s0)"], ["shared", `background:${fill([0, 1])}`], ["known by name alone, or sent back", "border-style:dashed"]), readout);
  return update;
};
