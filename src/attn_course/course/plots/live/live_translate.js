// Chapter 9: type German; the Transformer writes English, with a row of cross-attention per head for each word that it writes.
KINDS.live_translate = (ui, data, say) => {
  let draw = () => {};
  gate(ui, data, (file) => {
    const model = new attnLive.Transformer(file);
    draw = decoding(ui, data, say, { model, heads: model.H, joint: " ", nothing: "Type a German sentence.",
      unknown: "These words are not among those that it learned, so it has to guess" });
  });
  return () => draw();
};
