// A question whose answer is told once the reader has chosen and checked. Nothing is stored; without this file the answer
// is a fold. Arrow keys only choose; the button answers.
(() => {
  const start = (guess) => {
    const replies = [...guess.querySelectorAll(".guess-reply")];
    const said = guess.querySelector(".guess-said");
    const button = guess.querySelector(".guess-check");
    const labels = [...guess.querySelectorAll(".guess-answer")];
    if (replies.length !== labels.length || !button) return;
    guess.setAttribute("data-ready", "");
    button.hidden = false;
    button.disabled = true;
    guess.addEventListener("change", () => { button.disabled = false; });
    button.addEventListener("click", () => {
      const chosen = labels.findIndex((label) => label.querySelector("input").checked);
      said.replaceChildren(...[...replies[chosen].childNodes].map((node) => node.cloneNode(true)));
      said.classList.toggle("right", replies[chosen].classList.contains("right"));
      labels.forEach((label, place) => label.classList.toggle("chosen", place === chosen));
    });
  };
  const all = () => document.querySelectorAll(".guess:not([data-ready])").forEach(start);
  if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", all);
  else all();
})();
