// Chapter 2: type a date; the decoder writes it as ISO 8601, with a row of attention for each character that it writes.
KINDS.live_dates = (ui, data, say) => {
  let draw = () => {};
  gate(ui, data, (file) => {
    draw = decoding(ui, data, say, { model: new attnLive.Bahdanau(file), nothing: "Type a date.", unknown: "Never seen in training" });
  });
  return () => draw();
};
