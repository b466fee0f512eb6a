// The frame of every interactive figure: state on the page, controls, cells, bars, lines and a voice. No library, no
// other host. An output holds <div class="attn-widget" data-kind="..."> with a picture (shown without JavaScript, in
// print and in notebooks that are not trusted) and its data as JSON. This code, once on a page or once behind each
// output, starts what it finds and knows. No custom elements: a name can be defined once only, and a notebook can hold
// outputs of several versions.
(() => {
  "use strict";
  const CSS = `/*CSS*/`;
  const KINDS = {}; // name: (ui, data, say) => redraw
  const fixed = (value, digits = 2) => value.toFixed(digits);
  // For people: a real minus sign, and no minus zero.
  const told = (value, digits = 2) => fixed(value, digits).replace(/^-(?=[0.]*$)/, "").replace("-", "−");
  const clamp = (value, low, high) => Math.min(high, Math.max(low, value));
  const sum = (values) => values.reduce((total, value) => total + value, 0);
  const range = (count, value) => Array.from({ length: count }, (_, index) => value(index));
  const dot = (one, two) => sum(one.map((value, index) => value * two[index]));
  const softmax = (scores) => {
    const highest = Math.max(...scores);
    const exponents = scores.map((score) => (score === -Infinity ? 0 : Math.exp(score - highest)));
    const total = sum(exponents);
    return exponents.map((value) => (total ? value / total : 0));
  };
  const visible = (token) => token.replace(/ /g, "␣").replace(/\n/g, "⏎");
  const brief = (tokens) => tokens.every((token) => [...token].length <= 2);

  // --- Elements ---
  const make = (name, settings = {}, ...children) => {
    const node = document.createElement(name);
    for (const [key, value] of Object.entries(settings)) {
      if (key in node && !/^(style|role|aria)/.test(key)) node[key] = value;
      else node.setAttribute(key.replace(/^aria/, "aria-").toLowerCase(), value);
    }
    node.append(...children);
    return node;
  };
  const div = (className, ...children) => make("div", { className }, ...children);
  const hidden = (className, ...children) => make("div", { className, ariaHidden: "true" }, ...children);
  const slider = (text, low, high, value, shown, changed, step = 1) => {
    const output = make("b", { className: "num", ariaHidden: "true" }); // an output element would take the label for itself
    const input = make("input", { type: "range", min: low, max: high, step, value, ariaLabel: text });
    const name = make("span", {}, text);
    const show = () => {
      output.textContent = shown(+input.value);
      input.setAttribute("aria-valuetext", output.textContent);
    };
    input.addEventListener("input", () => { show(); changed(+input.value); });
    // A finger that turns out to scroll the page has moved the slider to where it began: it goes back.
    let kept = null;
    input.addEventListener("pointerdown", (event) => { kept = event.pointerType === "touch" ? input.value : null; });
    input.addEventListener("pointercancel", () => {
      if (kept === null || kept === input.value) return;
      input.value = kept;
      input.dispatchEvent(new Event("input"));
    });
    show();
    return { node: make("label", { className: "slide" }, name, output, input), input, set: (next) => { input.value = next; show(); } };
  };
  const radios = (name, texts, chosen, changed, dressed) => texts.map((text, index) => {
    const input = make("input", { type: "radio", name, checked: index === chosen, ariaLabel: text });
    input.addEventListener("change", () => changed(index));
    return dressed(input, index);
  });
  const choice = (name, texts, chosen, changed) => make("fieldset", {}, make("legend", { className: "hide" }, name),
    div("pick", ...radios(name, texts, chosen, changed, (input, index) => make("label", {}, input, texts[index]))));
  const check = (text, checked, changed) => {
    const input = make("input", { type: "checkbox", checked });
    input.addEventListener("change", () => changed(input.checked));
    return { node: make("label", { className: "check" }, input, text), input };
  };
  const button = (text, pressed, label = text) => {
    const node = make("button", { type: "button", ariaLabel: label }, text);
    node.addEventListener("click", pressed);
    return node;
  };
  const caption = (...text) => make("span", { className: "cap" }, ...text);
  const facts = (list, pairs) => list.replaceChildren(...pairs.flatMap(([term, value]) => [make("dt", {}, term), make("dd", {}, value)]));
  const factList = () => make("dl", { className: "facts" });
  const legend = (...entries) => div("legend", ...entries.map(([text, style]) => make("span", {}, make("i", { style }), text)));

  // --- Pictures ---
  // One pixel per cell, enlarged by CSS. Opacity is the size of the value, so the page's ground shows through; a
  // negative value has the other color.
  const paint = (canvas, rows, columns, value) => {
    const style = getComputedStyle(canvas);
    const [above, below] = [style.color, style.textDecorationColor].map((text) => text.match(/[\d.]+/g).map(Number));
    Object.assign(canvas, { width: columns, height: rows });
    const pixels = new ImageData(columns, rows);
    for (let cell = 0; cell < rows * columns; cell++) {
      const now = value(Math.floor(cell / columns), cell % columns);
      pixels.data.set([...(now < 0 ? below : above).slice(0, 3), 255 * Math.min(1, Math.abs(now))], 4 * cell);
    }
    canvas.getContext("2d").putImageData(pixels, 0, 0);
  };
  const cells = (className = "cells") => make("canvas", { className, ariaHidden: "true" });
  // A column per name. Bars start at zero and have their number above where there is room; a ghost is an outline.
  const bars = (names, { numbers = names.length <= 12, digits = 2 } = {}) => {
    const columns = names.map(() => [make("i"), make("i", { className: "ghost" }), make("small", { className: "num" })]);
    const area = div("bars", ...columns.map((parts) => make("span", {}, ...parts)));
    const labels = div(brief(names) ? "names mono" : "names turn", ...names.map((name) => make("span", {}, visible(name))));
    const node = hidden("columns", area, labels);
    node.style.setProperty("--n", names.length);
    const show = (values, { low = 0, high = 1, ghosts = [], on = [] } = {}) => {
      const percent = (value) => `${fixed((100 * value) / (high - low))}%`;
      const place = (bar, value) => Object.assign(bar.style, {
        display: Number.isFinite(value) ? "" : "none", bottom: percent(Math.min(value, 0) - low), height: percent(Math.abs(value)) });
      columns.forEach(([bar, ghost, number], index) => {
        const value = values[index];
        // The number stands on the bar, or on the outline where it would cross its edge.
        const [own, outline] = [Math.max(value, 0), ghosts[index] || 0];
        const top = outline > own && (outline - own) / (high - low) < 0.14 ? outline : own;
        place(bar, value);
        place(ghost, ghosts[index]);
        bar.classList.toggle("minus", value < 0);
        number.style.bottom = percent(top - low);
        number.textContent = numbers && Number.isFinite(value) ? told(value, digits) : "";
        labels.children[index].classList.toggle("on", on.includes(index));
      });
      area.style.setProperty("--zero", percent(-low));
    };
    return { node, area, show };
  };
  // Lines over x. Each: { y, low, high, color, dash, bold }; marks are x at which a line stands, dots are
  // [x, y, color and style]. says, name: the words of a tick, a label.
  const chart = ({ x, low, high, ticks, labels, xlabel, ylabel, says = told, name = String }) => {
    const [first, last] = [x[0], x.at(-1)];
    const across = (value) => (100 * (value - first)) / (last - first || 1);
    const up = (value) => 100 - (100 * (value - low)) / (high - low);
    const tick = (text, style) => make("small", { style }, text);
    const digits = [0, 1, 2].find((count) => ticks.every((value) => Math.abs(+fixed(value, count) - value) < 1e-9)) ?? 2;
    const area = hidden("area");
    const plot = hidden("chart", caption(ylabel),
      hidden("ys", ...ticks.map((value) => tick(says(value, digits), `top:${up(value)}%`))),
      area, hidden("xs", ...labels.map((value) => tick(name(value), `left:${across(value)}%`))), make("span", { className: "cap end" }, xlabel));
    const draw = (lines, { marks = [], dots = [] } = {}) => {
      const point = (value, index) => `${fixed(across(x[index]))} ${fixed(up(clamp(value, low, high)))}`;
      const path = (d, style) => `<path d="${d}" style="${style}"/>`;
      const rules = ticks.map((value) => path(`M0 ${up(value)}H100`, "stroke:var(--line);stroke-width:1"));
      const bands = lines.filter((line) => line.low).map((line) =>
        path(`M${[...line.high.map(point), ...line.low.map((_, index) => point(line.low.at(-1 - index), x.length - 1 - index))].join("L")}z`,
          `stroke:none;fill:${line.color};opacity:.18`));
      const drawn = lines.map((line) => path(`M${line.y.map(point).join("L")}`,
        `stroke:${line.color};stroke-width:${line.bold ?? 2.4};stroke-dasharray:${line.dash ?? "none"};opacity:${line.faint ?? 1}`));
      const at = marks.map((value) => path(`M${across(value)} 0V100`, "stroke:currentColor;stroke-width:1.5;stroke-dasharray:3 3"));
      const points = dots.map(([place, value, color]) => path(`M${across(place)} ${up(clamp(value, low, high))}h0`, `stroke-width:11;stroke:${color}`));
      area.innerHTML = `<svg viewBox="0 0 100 100" preserveAspectRatio="none">${[...rules, ...bands, ...drawn, ...at, ...points].join("")}</svg>`;
    };
    return { node: plot, area, draw };
  };
  const COLORS = range(5, (index) => `var(--s${index})`);
  const DASHES = ["none", "7 4", "2 4", "9 3 2 3", "4 2"];

  // --- Hands ---
  // A mouse acts where it is pressed. A finger taps, or moves sideways: downwards it scrolls the page. act(x, y, first)
  // gets the place as parts of the node's width and height.
  const drag = (node, act) => {
    let held = null;
    let active = false;
    const send = (event, first) => {
      const box = node.getBoundingClientRect();
      act((event.clientX - box.left) / box.width, (event.clientY - box.top) / box.height, first, event);
    };
    const end = () => { held = null; active = false; };
    node.addEventListener("pointerdown", (event) => {
      if (event.button) return;
      active = true;
      if (event.pointerType === "touch") held = event;
      else { node.setPointerCapture(event.pointerId); send(event, true); }
    });
    node.addEventListener("pointermove", (event) => {
      if (!active || (held && Math.abs(event.clientX - held.clientX) < 12)) return;
      if (held) send(held, true);
      held = null;
      send(event, false);
    });
    node.addEventListener("pointerup", () => { if (held) send(held, true); end(); });
    node.addEventListener("pointercancel", end);
  };
  const part = (share, count) => clamp(Math.floor(share * count), 0, count - 1);
  // Keys of a picture that can be painted or moved in; everything else goes on to the page.
  const arrows = (node, moved) => node.addEventListener("keydown", (event) => {
    const [down, right] = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key] ?? [0, 0];
    if ((!down && !right && event.key !== " " && event.key !== "Enter") || !moved(down, right, event)) return;
    event.preventDefault();
  });

/*PARTS*/

  // --- Start ---
  const live = [];
  // The text's color says whether the page is light or dark, whatever the host calls its theme.
  const dress = (figure) => {
    const [red, green, blue] = getComputedStyle(figure.root).color.match(/[\d.]+/g).map(Number);
    const dark = 0.299 * red + 0.587 * green + 0.114 * blue > 127;
    if (dark === figure.dark) return;
    figure.dark = dark;
    figure.ui.toggleAttribute("data-dark", dark);
    figure.redraw();
  };
  const start = (root) => {
    const build = KINDS[root.dataset.kind];
    if (!build) return;
    root.setAttribute("data-ready", "");
    try {
      const data = JSON.parse(root.querySelector("script").textContent);
      const ui = make("div", { className: "ui", role: "group", ariaLabel: data.label });
      ui.dataset.kind = data.kind;
      // Screen readers hear the end of a movement, not each step of it.
      const region = make("p", { className: "hide", role: "status" });
      let waiting;
      let spoken = false;
      const say = (text) => {
        clearTimeout(waiting);
        if (spoken) waiting = setTimeout(() => { region.textContent = text; }, 400);
      };
      const figure = { root, ui, redraw: build(ui, data, say) };
      ui.append(region);
      root.attachShadow({ mode: "open" }).append(make("style", {}, CSS), ui, make("slot"));
      live.push(figure);
      dress(figure);
      spoken = true;
    } catch (error) {
      console.error("This figure stays a picture:", error);
      root.shadowRoot?.replaceChildren(make("slot"));
    }
  };
  const scan = () => document.querySelectorAll(".attn-widget:not([data-ready])").forEach(start);
  const redress = () => { requestAnimationFrame(() => live.forEach(dress)); setTimeout(() => live.forEach(dress), 500); };
  scan();
  document.addEventListener("DOMContentLoaded", scan);
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redress);
  for (const node of [document.documentElement, document.body]) new MutationObserver(redress).observe(node, { attributes: true });
})();
