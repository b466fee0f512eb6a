// The language model of chapter 13 with its cache: D = 128 numbers per token, H = 4 heads of the query that share G heads
// of key and value, K = 32 numbers each. Token by token, as attn_course.course.labs.generate does it with attn_course.KVCache.
(() => {
  "use strict";
  attnLive.Tokenizer = class {
    constructor({ alphabet, merges }) {
      this.tokens = ["<pad>", "<unk>", "<bos>", "<eos>", ...alphabet, ...merges.map(([one, two]) => one + two)];
      this.numbers = new Map(this.tokens.map((token, number) => [token, number]));
      this.ranks = new Map(merges.map(([one, two], rank) => [`${one} ${two}`, rank])); // no token holds a blank
    }
    merge(word) {
      let pieces = [...word];
      for (;;) {
        let best = Infinity;
        for (let i = 0; i + 1 < pieces.length; i++) best = Math.min(best, this.ranks.get(`${pieces[i]} ${pieces[i + 1]}`) ?? Infinity);
        if (best === Infinity) return pieces;
        const merged = [];
        for (let i = 0; i < pieces.length; i++) {
          const found = i + 1 < pieces.length && this.ranks.get(`${pieces[i]} ${pieces[i + 1]}`) === best;
          merged.push(found ? pieces[i] + pieces[++i] : pieces[i]);
        }
        pieces = merged;
      }
    }
    encode(text) {
      const words = text.normalize("NFC").replaceAll(" ", "▁").match(/\n|▁*[^▁\n]+|▁+/g) ?? [];
      return words.flatMap((word) => this.merge(word)).map((piece) => this.numbers.get(piece) ?? 1);
    }
    // Characters of a text that no token holds.
    unknown(text) { return [...new Set([...text.normalize("NFC").replaceAll(" ", "▁")].filter((letter) => !this.numbers.has(letter)))]; }
    text(token) { return this.tokens[token].replaceAll("▁", " "); }
  };

  // Keys and values of a layer. With a window it keeps the last positions and the first, the sinks.
  attnLive.Cache = class {
    constructor({ G, K, window = Infinity, sinks = 0 }) {
      Object.assign(this, { G, K, window, sinks, positions: [], keys: [], values: [], length: 0 });
    }
    push(key, value) {
      this.keys.push(key);
      this.values.push(value);
      this.positions.push(this.length++);
      const old = this.positions.findIndex((position) => position >= this.sinks && position < this.length - this.window);
      if (old >= 0) for (const list of [this.keys, this.values, this.positions]) list.splice(old, 1);
    }
    get bytes() { return 2 * this.positions.length * this.G * this.K * 4; } // key and value, float32
  };

  attnLive.LanguageModel = class {
    // groups: G, the heads of key and value; fewer than the model has are means of them, as to_grouped makes them.
    constructor({ parameters, sizes }, { groups = sizes.num_kv_heads, window, sinks } = {}) {
      const { linear } = attnLive;
      Object.assign(this, { parameters, H: sizes.num_heads, G: groups, K: sizes.model_dim / sizes.num_heads });
      this.layers = Object.values(parameters.encoder.layers);
      const share = sizes.num_kv_heads / groups;
      const pool = (x) => (share === 1 ? x : Float32Array.from({ length: groups * this.K }, (_, i) => {
        const [g, k] = [Math.floor(i / this.K), i % this.K];
        let total = 0;
        for (let n = 0; n < share; n++) total += x[(g * share + n) * this.K + k];
        return total / share;
      }));
      // The mean of the maps' outputs is the output of their mean.
      this.key = ({ attention }, x) => pool(linear(attention.key_weight, x));
      this.value = ({ attention }, x) => pool(linear(attention.value_weight, x));
      this.caches = this.layers.map(() => new attnLive.Cache({ G: groups, K: this.K, window, sinks }));
    }
    get bytes() { return this.caches.reduce((total, cache) => total + cache.bytes, 0); }
    // The next token: logits of what follows it, and of each layer and head the weights of the positions in its cache.
    step(token) {
      const { row, linear, add, rmsNorm } = attnLive;
      const { embedding, encoder } = this.parameters;
      let x = row(embedding.weight, token);
      const weights = this.layers.map((layer, number) => {
        const found = this.attend(layer, rmsNorm(x, layer.norm1.scale), this.caches[number]);
        x = add(x, linear(layer.attention.output_weight, found.context));
        x = add(x, swiglu(layer.feed_forward, rmsNorm(x, layer.norm2.scale)));
        return found.weights;
      });
      const logits = linear(embedding.weight, rmsNorm(x, encoder.final_norm.scale));
      return { logits, weights, positions: [...this.caches[0].positions] };
    }
    attend(layer, x, cache) {
      const { linear, rotate, attend } = attnLive;
      const query = rotate(linear(layer.attention.query_weight, x), cache.length, this.K);
      cache.push(rotate(this.key(layer, x), cache.length, this.K), this.value(layer, x)); // a key is cached as it was turned once
      return attend(query, cache.keys, cache.values, this);
    }
  };
  const swiglu = (network, x) => {
    const { linear, sigmoid } = attnLive;
    const [gate, inner] = [linear(network.gate.weight, x), linear(network[0].weight, x)];
    return linear(network[1].weight, inner.map((value, i) => gate[i] * sigmoid(gate[i]) * value));
  };
})();
