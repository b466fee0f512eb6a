// Requests that share a model: what each does in every step, in batches or as places become free.
KINDS.server = (ui, data, say) => {
  const { requests } = data;
  const n = requests.length;
  const all = sum(requests.flat());
  const state = { places: data.places, budget: data.budget, continuous: data.continuous };
  const KIND = ["", "reads", "writes", "idle"];
  const timeline = () => {
    const [unread, unwritten] = [requests.map(([prompt]) => prompt), requests.map(([, answer]) => answer)];
    const reads = requests.map(() => true);
    let [waiting, places] = [range(n, (index) => index), []];
    const [steps, tokens] = [[], []];
    while (waiting.length || places.length) {
      if (state.continuous || !places.length) places.push(...waiting.splice(0, state.places - places.length));
      const now = range(n, () => 0);
      const room = state.budget || all;
      let left = room;
      for (const request of places) {
        const count = unwritten[request] ? Math.min(unread[request], left) : 0;
        left -= count;
        unread[request] -= count;
        now[request] = !count ? 3 : reads[request] ? 1 : 2;
        if (!count || unread[request]) continue;
        unwritten[request] -= 1;
        reads[request] = false;
        unread[request] = 1;
      }
      steps.push(now);
      tokens.push(room - left);
      if (state.continuous) places = places.filter((request) => unwritten[request]);
      else if (!places.some((request) => unwritten[request])) places = [];
    }
    return { steps, tokens };
  };
  const rows = requests.map(([prompt, answer], index) => {
    const line = div("line");
    return { line, nodes: [make("span", { className: "who num" }, `${index + 1}`), line, make("span", { className: "who num" }, `${prompt} + ${answer}`)] };
  });
  const table = hidden("server", make("span", { className: "cap" }, ""), make("span", { className: "cap" }, "step →"), make("span", { className: "cap" }, "reads + writes"),
    ...rows.flatMap(({ nodes }) => nodes));
  const list = factList();
  const first = timeline().steps.length;
  const written = sum(requests.map(([, answer]) => answer));
  const update = () => {
    const { steps, tokens } = timeline();
    rows.forEach(({ line }, request) => {
      line.style.setProperty("--n", Math.max(first, steps.length));
      line.replaceChildren(...steps.map((now) => make("i", { className: KIND[now[request]] })));
    });
    const idle = sum(steps.map((now) => now.filter((what) => what === 3).length));
    const found = [["steps", `${steps.length}`], ["tokens written per step", fixed(written / steps.length, 1)],
      ["places held for nothing", `${idle}`], ["most tokens in one step", `${Math.max(...tokens)}`]];
    facts(list, found);
    say(found.map(([term, value]) => `${term}: ${value}`).join(", "));
  };
  const budgets = [4, 6, 8, 12, 16, 24, 0];
  const named = (index) => (budgets[index] ? `${budgets[index]}` : "no limit");
  ui.append(
    choice("who enters", ["in batches", "as places become free"], +state.continuous, (index) => { state.continuous = index === 1; update(); }),
    div("sliders",
      slider("requests at once", 1, n, state.places, String, (value) => { state.places = value; update(); }).node,
      slider("tokens a step, at most", 0, budgets.length - 1, Math.max(0, budgets.indexOf(state.budget)), named, (index) => { state.budget = budgets[index]; update(); }).node),
    table, legend(["reads its prompt", "background:var(--other)"], ["writes", "background:var(--weight)"], ["holds a place for nothing", "background:var(--line)"]), list);
  return update;
};
