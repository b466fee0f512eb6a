// The two-layer reader of chapter 5: it sees no places, and what its second layer mixes are the words themselves. The same
// arithmetic as attn_course.course.labs.pronoun, one word at a time.
(() => {
  "use strict";
  const { row, linear, add, attend } = attnLive;
  const alone = { H: 1 };
  attnLive.Reader = class {
    constructor({ parameters, words }) {
      Object.assign(this, { parameters, words, numbers: new Map(words.map((word, index) => [word, index])) });
    }
    static LONGEST = 24; // words that it reads; its training had nine
    typed(text) { return text.toLowerCase().match(/[\p{L}\p{N}_]+/gu) ?? []; }
    knows(word) { return this.numbers.has(word); }
    // A word that it doesn't know has no vector, so it is left out.
    pieces(text) { return this.typed(text).filter((word) => this.knows(word)).slice(0, attnLive.Reader.LONGEST); }
    // Of each layer a row of weights for each word, and for each word the share of every word that it copies.
    read(text) {
      const { embedding, first, query, key } = this.parameters;
      const numbers = this.pieces(text).map((word) => this.numbers.get(word));
      const x = numbers.map((number) => row(embedding.weight, number));
      const [keys, values] = ["key", "value"].map((name) => x.map((word) => linear(first[`${name}_weight`], word)));
      const mixed = x.map((word) => attend(linear(first.query_weight, word), keys, values, alone));
      const y = x.map((word, place) => add(word, mixed[place].context));
      const names = y.map((word) => linear(key.weight, word));
      const second = y.map((word) => attend(linear(query.weight, word), names, [], alone).weights[0]);
      const copied = second.map((weights) => {
        const shares = new Float32Array(this.words.length);
        weights.forEach((weight, place) => { shares[numbers[place]] += weight; });
        return shares;
      });
      return { layers: [mixed.map(({ weights }) => weights[0]), second], copied };
    }
  };
})();
