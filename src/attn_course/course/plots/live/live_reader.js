// Chapter 5: type a sentence; two layers of self-attention read it, and the weights of the second are what "it" means.
KINDS.live_reader = (ui, data, say) => {
  let draw = () => {};
  gate(ui, data, (file) => {
    const model = new attnLive.Reader(file);
    const state = { text: data.examples[0], layer: 1, word: 0, layers: [[], []], copied: [] };
    const input = make("input", { type: "text", autocomplete: "off", autocapitalize: "off", spellcheck: false, value: state.text });
    const examples = data.examples.map((text) => button(text, () => { input.value = text; typed(); }, `Example: ${text}`));
    const [asks, answer, note, stage] = [make("span"), make("b", { className: "answer" }), make("p", { className: "note" }), div("stage")];
    const readout = make("p", { className: "read" });
    const known = make("p", { className: "note" }, `It knows ${model.words.length} words: ${model.words.join(" ")}.`);
    const typed = () => {
      state.text = input.value;
      Object.assign(state, model.read(state.text));
      const words = model.pieces(state.text);
      state.word = words.includes("it") ? words.indexOf("it") : Math.max(0, words.length - 1);
      build();
    };
    const told = (words) => {
      const strange = [...new Set(model.typed(state.text).filter((word) => !model.knows(word)))];
      return [strange.length && `Not among its words, so left out: ${strange.join(" ")}.`,
        words.length && !words.includes("it") && "There is no “it”, the one word that was trained to answer: choose another.",
        words.length === attnLive.Reader.LONGEST && `It reads the first ${words.length} words only.`].filter(Boolean).join(" ");
    };
    let show = () => {};
    const build = () => {
      const words = model.pieces(state.text);
      note.textContent = told(words);
      if (!words.length) {
        asks.textContent = "";
        answer.textContent = "nothing yet";
        stage.replaceChildren();
        readout.textContent = "Type a sentence of the words that it knows.";
        show = () => {};
        say(readout.textContent);
        return;
      }
      const grid = weighed(words, words, { words: true, label: "Words that look", weights: (word) => state.layers[state.layer][word],
        spoken: words.map((word, place) => `${word}, word ${place + 1}`), chosen: (word) => { state.word = word; show(); } });
      stage.replaceChildren(grid.node);
      show = () => {
        const [word, shares] = [words[state.word], state.copied[state.word]];
        asks.textContent = `“${word}” copies `;
        answer.textContent = best(shares, 3).filter((number, place) => !place || shares[number] >= 0.005).map((number) => `${model.words[number]} ${sure(shares[number])}`).join(", ");
        readout.textContent = `In the ${["first", "second"][state.layer]} layer “${word}” looks at ${grid.show(state.word)}.`;
        say(`${asks.textContent}${answer.textContent}. ${note.textContent} ${readout.textContent}`);
      };
      show();
    };
    typing(input).addEventListener("input", typed);
    ui.prepend(make("label", { className: "field" }, caption(data.prompt), input), div("chips", ...examples), div("bar", make("span", {}, asks, answer)), note,
      div("bar", caption("Attention of the layer"), choice("Attention of the layer", ["first", "second, which copies"], 1, (layer) => { state.layer = layer; show(); })),
      stage, readout, known);
    draw = build;
    typed();
    input.select();
    ui.figure = { model, state };
  });
  return () => draw();
};
