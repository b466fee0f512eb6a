// The encoder-decoder of chapter 2, in its notation: h are the encoder's states, s the decoder's, c the context, and
// score[j] = v_a · tanh(W_a s + U_a h[j]). The same arithmetic as attn_course.bahdanau, one row at a time.
(() => {
  "use strict";
  attnLive.Bahdanau = class {
    constructor({ parameters, source, target }) {
      Object.assign(this, { parameters, target, numbers: new Map(source.map((character, index) => [character, index + 4])) });
    }
    static BEGIN = 1;
    static END = 2;
    static UNKNOWN = 3;
    static MARK = "■"; // shown for the end
    static LONGEST = 60; // characters that it reads; its training had at most 48
    pieces(text) { return [...text].slice(0, attnLive.Bahdanau.LONGEST); }
    knows(piece) { return this.numbers.has(piece); }
    said(token) { return this.target[token - 4] ?? attnLive.Bahdanau.MARK; }
    // Read the text in both directions: memory h[j], the keys U_a h[j], and the first state s.
    read(text) {
      const { row, linear, joined, gru } = attnLive;
      const { encoder, decoder } = this.parameters;
      const x = this.pieces(text).map((piece) => row(encoder.embedding.weight, this.numbers.get(piece) ?? attnLive.Bahdanau.UNKNOWN));
      const H = encoder.forward_gru.state_weight.columns;
      const left = [], right = [];
      x.reduce((state, value, j) => (left[j] = gru(value, state, encoder.forward_gru)), new Float32Array(H));
      x.reduceRight((state, value, j) => (right[j] = gru(value, state, encoder.backward_gru)), new Float32Array(H));
      const h = x.map((_, j) => joined(left[j], right[j]));
      const keys = h.map((value) => linear(decoder.attention.memory_weight, value));
      const s = linear(decoder.bridge.weight, right[0] ?? new Float32Array(H), decoder.bridge.bias).map(Math.tanh);
      return { h, keys, s };
    }
    // One output: attend from the state s, step, read out.
    step(token, s, { h, keys }) {
      const { row, dot, linear, joined, softmax, gru } = attnLive;
      const { embedding, attention, cell, readout, output_layer } = this.parameters.decoder;
      const query = linear(attention.query_weight, s);
      const score = keys.map((key) => {
        const hidden = key.map((value, a) => Math.tanh(query[a] + value));
        return dot(attention.score_weight, hidden, hidden.length);
      });
      const weights = softmax(score);
      const c = new Float32Array(this.parameters.decoder.attention.memory_weight.columns);
      h.forEach((value, j) => { for (let e = 0; e < c.length; e++) c[e] += weights[j] * value[e]; });
      const y = row(embedding.weight, token);
      const state = gru(joined(y, c), s, cell);
      const pairs = linear(readout.weight, joined(state, y, c), readout.bias);
      const maxout = state.map((_, i) => Math.max(pairs[2 * i], pairs[2 * i + 1]));
      return { logits: linear(output_layer.weight, maxout, output_layer.bias), s: state, weights };
    }
    // The likeliest token each time; forced: tokens to write instead, by step.
    write(text, { forced = [], most = 11 } = {}) {
      const read = this.read(text);
      const steps = [];
      let [token, s] = [attnLive.Bahdanau.BEGIN, read.s];
      while (read.h.length && steps.length < most && token !== attnLive.Bahdanau.END) {
        const found = this.step(token, s, read);
        token = forced[steps.length] ?? attnLive.largest(found.logits);
        s = found.s;
        steps.push({ ...found, token, probability: attnLive.softmax(found.logits) });
      }
      return steps;
    }
  };
})();
