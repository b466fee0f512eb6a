// The Transformer of chapter 9: one table for both languages, layer norms before each part, D = 64 numbers per word, H heads.
// The same arithmetic as attn_course.pytorch.Transformer, one position at a time, with a cache.
(() => {
  "use strict";
  const { row, linear, add, layerNorm, attend } = attnLive;
  const relu = (network, x) => linear(network[1].weight, linear(network[0].weight, x, network[0].bias).map((value) => Math.max(0, value)), network[1].bias);
  const map = (attention, name, x) => linear(attention[`${name}_weight`], x, attention[`${name}_bias`]);
  attnLive.Transformer = class {
    constructor({ parameters, words, heads }) {
      Object.assign(this, { parameters, words, H: heads, numbers: new Map(words.map((word, index) => [word, index + 4])) });
    }
    static BEGIN = 1;
    static END = 2;
    static UNKNOWN = 3;
    static MARK = "■"; // shown for the end
    static LONGEST = 40; // words and signs that it reads; its training had at most 14
    // Words and signs; the first word may begin with a capital.
    pieces(text) {
      const found = (text.match(/[\p{L}\p{N}_]+|[^\p{L}\p{N}_\s]/gu) ?? []).slice(0, attnLive.Transformer.LONGEST);
      if (found.length && !this.numbers.has(found[0])) found[0] = found[0].replace(/^./u, (letter) => letter.toLowerCase());
      return found;
    }
    knows(piece) { return this.numbers.has(piece); }
    said(token) { return this.words[token - 4] ?? attnLive.Transformer.MARK; }
    // A word's vector times √D, and the waves of its place: a sine, then a cosine of each length.
    embed(token, place) {
      const D = this.parameters.embedding.weight.columns;
      return row(this.parameters.embedding.weight, token).map((value, i) => {
        const angle = place * 10000 ** (-(i - (i % 2)) / D);
        return value * Math.sqrt(D) + (i % 2 ? Math.cos(angle) : Math.sin(angle));
      });
    }
    // The encoder reads all words at once; of what it gives, each decoder layer makes its keys and values.
    read(text) {
      const { encoder, decoder } = this.parameters;
      const layers = Object.values(encoder.layers);
      let x = this.pieces(text).map((piece, place) => this.embed(this.numbers.get(piece) ?? attnLive.Transformer.UNKNOWN, place));
      for (const { attention, norm1, norm2, feed_forward } of layers) {
        const seen = x.map((value) => layerNorm(value, norm1));
        const [keys, values] = ["key", "value"].map((name) => seen.map((value) => map(attention, name, value)));
        x = x.map((value, place) => {
          const found = attend(map(attention, "query", seen[place]), keys, values, this);
          const y = add(value, map(attention, "output", found.context));
          return add(y, relu(feed_forward, layerNorm(y, norm2)));
        });
      }
      const memory = x.map((value) => layerNorm(value, encoder.final_norm));
      return Object.values(decoder.layers).map(({ cross_attention }) => ({
        back: { keys: [], values: [] },
        across: { keys: memory.map((value) => map(cross_attention, "key", value)), values: memory.map((value) => map(cross_attention, "value", value)) },
      }));
    }
    // One output: look back at what is written, across at what was read, then think. weights: a row per head.
    step(token, caches) {
      const { embedding, decoder } = this.parameters;
      let x = this.embed(token, caches[0].back.keys.length);
      let weights;
      Object.values(decoder.layers).forEach(({ attention, cross_attention, norm1, norm2, norm3, feed_forward }, number) => {
        const { back, across } = caches[number];
        const own = layerNorm(x, norm1);
        back.keys.push(map(attention, "key", own));
        back.values.push(map(attention, "value", own));
        x = add(x, map(attention, "output", attend(map(attention, "query", own), back.keys, back.values, this).context));
        const found = attend(map(cross_attention, "query", layerNorm(x, norm2)), across.keys, across.values, this);
        x = add(x, map(cross_attention, "output", found.context));
        x = add(x, relu(feed_forward, layerNorm(x, norm3)));
        ({ weights } = found);
      });
      return { logits: linear(embedding.weight, layerNorm(x, decoder.final_norm)), weights };
    }
    // The likeliest token each time; forced: tokens to write instead, by step.
    write(text, { forced = [], most = 40 } = {}) {
      const caches = this.read(text);
      const steps = [];
      let token = attnLive.Transformer.BEGIN;
      while (caches[0].across.keys.length && steps.length < most && token !== attnLive.Transformer.END) {
        const found = this.step(token, caches);
        token = forced[steps.length] ?? attnLive.largest(found.logits);
        steps.push({ ...found, token, probability: attnLive.softmax(found.logits) });
      }
      return steps;
    }
  };
})();
