// What the live models compute with: vectors are Float32Array, a matrix is { data, rows, columns } with a row per output.
// Sums run in double precision and are rounded once, when they are stored. Pure functions: no page, so Node can test them.
(() => {
  "use strict";
  const matrix = (data, rows, columns) => ({ data, rows, columns });
  const row = (W, index) => W.data.subarray(index * W.columns, (index + 1) * W.columns);
  const dot = (one, two, n, from = 0, start = 0) => {
    let total = 0;
    for (let i = 0; i < n; i++) total += one[from + i] * two[start + i];
    return total;
  };
  // x W + bias; the file holds W with a row per output. Four outputs at once: a sum need not wait for the one before.
  const linear = ({ data, rows, columns }, x, bias) => {
    const y = new Float32Array(rows);
    let i = 0;
    for (; i + 3 < rows; i += 4) {
      const one = i * columns, two = one + columns, three = two + columns, four = three + columns;
      let a = 0, b = 0, c = 0, d = 0;
      for (let j = 0; j < columns; j++) {
        const value = x[j];
        a += data[one + j] * value;
        b += data[two + j] * value;
        c += data[three + j] * value;
        d += data[four + j] * value;
      }
      y[i] = a; y[i + 1] = b; y[i + 2] = c; y[i + 3] = d;
    }
    for (; i < rows; i++) y[i] = dot(data, x, columns, i * columns);
    if (bias) for (i = 0; i < rows; i++) y[i] += bias[i];
    return y;
  };
  const joined = (...parts) => {
    const x = new Float32Array(parts.reduce((size, part) => size + part.length, 0));
    let at = 0;
    for (const part of parts) { x.set(part, at); at += part.length; }
    return x;
  };
  const softmax = (score) => {
    const weight = new Float32Array(score.length);
    let highest = -Infinity, total = 0;
    for (const value of score) highest = Math.max(highest, value);
    for (let i = 0; i < score.length; i++) total += weight[i] = Math.exp(score[i] - highest);
    for (let i = 0; i < score.length; i++) weight[i] /= total;
    return weight;
  };
  const sigmoid = (x) => 1 / (1 + Math.exp(-x));
  const rmsNorm = (x, scale, epsilon = 1e-6) => {
    const root = Math.sqrt(dot(x, x, x.length) / x.length + epsilon);
    return x.map((value, i) => (value / root) * scale[i]);
  };
  const layerNorm = (x, { scale, bias }, epsilon = 1e-5) => {
    const mean = x.reduce((total, value) => total + value, 0) / x.length;
    const middle = x.map((value) => value - mean);
    const root = Math.sqrt(dot(middle, middle, x.length) / x.length + epsilon);
    return middle.map((value, i) => (value / root) * scale[i] + bias[i]);
  };
  const add = (one, two) => one.map((value, i) => value + two[i]);
  // One query over keys and values: H heads of K numbers each, which share G heads of key and value.
  const attend = (query, keys, values, { H, G = H }) => {
    const K = query.length / H;
    const context = new Float32Array(query.length);
    const weights = Array.from({ length: H }, (_, head) => {
      const group = Math.floor((head * G) / H) * K;
      const weight = softmax(keys.map((key) => dot(query, key, K, head * K, group) / Math.sqrt(K)));
      values.forEach((value, s) => { for (let k = 0; k < K; k++) context[head * K + k] += weight[s] * value[group + k]; });
      return weight;
    });
    return { context, weights };
  };
  // Column 2i and 2i + 1 of every head turn by position · 10000^(-2i / K).
  const rotate = (x, position, K) => {
    for (let start = 0; start < x.length; start += K) {
      for (let i = 0; i < K; i += 2) {
        const angle = Math.fround(position * Math.fround(10000 ** (-i / K)));
        const [cosine, sine, first, second] = [Math.cos(angle), Math.sin(angle), x[start + i], x[start + i + 1]];
        x[start + i] = first * cosine - second * sine;
        x[start + i + 1] = first * sine + second * cosine;
      }
    }
    return x;
  };
  // One step of the gated recurrent unit: attn_course.recurrent.reference.gru_step.
  const gru = (x, state, p) => {
    const H = state.length;
    const [fromX, fromS] = [linear(p.input_weight, x, p.input_bias), linear(p.state_weight, state, p.state_bias)];
    const next = new Float32Array(H);
    for (let i = 0; i < H; i++) {
      const reset = sigmoid(fromX[i] + fromS[i]);
      const update = sigmoid(fromX[H + i] + fromS[H + i]);
      const candidate = Math.tanh(fromX[2 * H + i] + reset * fromS[2 * H + i]);
      next[i] = (1 - update) * candidate + update * state[i];
    }
    return next;
  };
  const largest = (values) => values.reduce((best, value, i) => (value > values[best] ? i : best), 0);

  // --- The file of weights: gzip of all high bytes, then all low bytes of float16, as base64 in a script ---
  const half = (bits) => {
    const [sign, power, rest] = [bits & 0x8000 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
    return sign * (power ? 2 ** (power - 25) * (1024 + rest) : 2 ** -24 * rest);
  };
  const HALVES = Float32Array.from({ length: 65536 }, (_, bits) => half(bits));
  const unpack = async ({ packed, parameters, ...rest }) => {
    const zipped = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([zipped]).stream().pipeThrough(new DecompressionStream("gzip"));
    const bytes = new Uint8Array(await new Response(stream).arrayBuffer());
    const count = bytes.length / 2;
    const tree = {};
    let at = 0;
    for (const [name, shape] of parameters) {
      const data = new Float32Array(shape.reduce((size, n) => size * n, 1));
      for (let i = 0; i < data.length; i++, at++) data[i] = HALVES[(bytes[at] << 8) | bytes[count + at]];
      const path = name.split(".");
      const last = path.pop();
      const place = path.reduce((node, part) => (node[part] ??= {}), tree);
      place[last] = shape.length === 2 ? matrix(data, ...shape) : data;
    }
    if (at !== count) throw new Error(`${count} numbers, but ${at} named`);
    return { parameters: tree, ...rest };
  };
  // A script element, not fetch: it works from file:// too. Each file is loaded once on a page, from beside this script.
  const home = globalThis.document?.currentScript?.src;
  const waiting = new Map();
  globalThis.attnWeights = (name, file) => waiting.get(name)?.resolve(unpack(file));
  const loadWeights = (file) => {
    const name = file.split(".")[0];
    if (!waiting.has(name)) {
      let settle;
      const promise = new Promise((resolve, reject) => { settle = { resolve, reject }; });
      waiting.set(name, { promise, ...settle });
      const script = document.createElement("script");
      script.src = new URL(`live/${file}`, home);
      const failed = () => { waiting.delete(name); script.remove(); settle.reject(new Error(`${file} can't be loaded`)); };
      script.onerror = failed;
      promise.catch(failed);
      document.head.append(script);
    }
    return waiting.get(name).promise;
  };
  globalThis.attnLive = { row, dot, linear, joined, softmax, sigmoid, rmsNorm, layerNorm, add, attend, rotate, gru, largest, unpack, loadWeights };
})();
