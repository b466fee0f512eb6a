// A question whose answer is told once the reader has chosen, or typed a number, and checked. Until then the control
// that decides, or what shows it, waits; a control that is touched meanwhile says so, and nothing else in its figure
// moves it. Nothing is stored; without this file the answer is a fold and nothing waits. Arrow keys only choose; the
// button answers.
(() => {
  const PRECEDING = 2; // Node.DOCUMENT_POSITION_PRECEDING
  const named = (text) => (text ?? "").split(",").map((part) => part.trim()).filter(Boolean);
  // The controls of the figure above the guess that have one of these names.
  const controls = (guess) => {
    const above = [...document.querySelectorAll(".attn-widget")].filter((one) => guess.compareDocumentPosition(one) & PRECEDING).pop();
    return named(guess.dataset.waits).flatMap((name) => [...(above?.shadowRoot?.querySelectorAll(`[aria-label="${name}"]`) ?? [])]);
  };
  const inside = ({ left, right, top, bottom }, { clientX: x, clientY: y }) => x >= left && x <= right && y >= top && y <= bottom;
  const waiting = (guess) => {
    const figures = named(guess.dataset.hides).flatMap((id) => [...document.querySelectorAll(`:is(figure, section)[id^="${id}"]`)]);
    const note = guess.querySelector(".guess-waits");
    if (!note) return () => {};
    let over = false;
    const held = [];
    const first = document.createElement("a");
    Object.assign(first, { className: "guess-first", href: "#", textContent: "Guess first" });
    first.addEventListener("click", (event) => {
      event.preventDefault();
      guess.scrollIntoView({ block: "center" });
      guess.querySelector("input").focus({ preventScroll: true });
    });
    const say = (event) => {
      first.style.left = `${event.pageX}px`;
      first.style.top = `${event.pageY}px`;
      document.body.append(first);
    };
    // What is inert gets no events; the figure around it does.
    const touched = (event) => {
      if (!over && held.some((control) => inside(control.getBoundingClientRect(), event))) say(event);
    };
    const kept = new Map();
    const keep = (event) => held.forEach((control) => {
      if (over || control.value === kept.get(control)) return;
      control.value = kept.get(control);
      control.dispatchEvent(new Event("input"));
      if (event.pageX) say(event);
    });
    const set = (control, waits) => {
      control.inert = waits;
      if (control.type !== "radio") control.style.opacity = waits ? 0.4 : ""; // of which its label alone is seen
    };
    // A figure starts when its own script has come.
    const hold = (tries) => {
      if (over) return;
      held.push(...controls(guess));
      const figure = held[0]?.getRootNode().host;
      figure?.addEventListener("pointerdown", touched);
      for (const name of ["pointerdown", "pointermove", "click", "input"]) figure?.addEventListener(name, keep);
      held.forEach((control) => { set(control, true); kept.set(control, control.value); });
      if (!held.length && guess.dataset.waits && tries) setTimeout(hold, 150, tries - 1);
    };
    const free = () => {
      over = true;
      held.forEach((control) => set(control, false));
      figures.forEach((figure) => figure.classList.remove("guess-hidden"));
      note.hidden = true;
      first.remove();
    };
    hold(100);
    figures.forEach((figure) => figure.classList.add("guess-hidden"));
    note.hidden = false;
    note.querySelector("button").addEventListener("click", free);
    return free;
  };
  const start = (guess) => {
    const replies = [...guess.querySelectorAll(".guess-reply")];
    const said = guess.querySelector(".guess-said");
    const button = guess.querySelector(".guess-check");
    const labels = [...guess.querySelectorAll(".guess-answer")];
    const number = guess.querySelector("input[type=number]");
    if ((!number && replies.length !== labels.length) || !button) return;
    guess.setAttribute("data-ready", "");
    button.hidden = false;
    button.disabled = true;
    const free = waiting(guess);
    guess.addEventListener("input", () => { button.disabled = number ? number.value === "" : false; });
    number?.addEventListener("keydown", (event) => { if (event.key === "Enter") { event.preventDefault(); button.click(); } });
    // Of a number: the replies to less, to what is right, and to more.
    const place = () => (number.value < +guess.dataset.low ? 0 : number.value > +guess.dataset.high ? 2 : 1);
    button.addEventListener("click", () => {
      const chosen = number ? place() : labels.findIndex((label) => label.querySelector("input").checked);
      said.replaceChildren(...[...replies[chosen].childNodes].map((node) => node.cloneNode(true)));
      said.classList.toggle("right", replies[chosen].classList.contains("right"));
      if (!number) labels.forEach((label, index) => label.classList.toggle("chosen", index === chosen));
      free();
    });
  };
  const all = () => document.querySelectorAll(".guess:not([data-ready])").forEach(start);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", all);
  else all();
})();
