// The course's networks: planes in, [value, logits] out, for one position. `make_network` draws random weights;
// `load_network` reads what networks/exported.py has written. A layer is { inputs, outputs, W, b }, W[i * outputs + o],
// so that y = x W + b as in 'The network by hand'.

import { lines_of, LineGame } from "./games.js";

export const DIVERGED = "the network's value is NaN: its weights have probably diverged";
const LARGEST_SIZE = 10_000; // units of a layer
const LARGEST_NETWORK = 20_000_000; // weights

// --- what layers compute

/** x W + b. Most of x is 0 (the planes, and what a ReLU cut off), and costs nothing. */
export function linear({ inputs, outputs, W, b }, x) {
  const y = b ? Float64Array.from(b) : new Float64Array(outputs);
  for (let i = 0; i < inputs; i++) {
    const factor = x[i];
    if (factor === 0) continue;
    const row = i * outputs;
    for (let o = 0; o < outputs; o++) y[o] += factor * W[row + o];
  }
  return y;
}

/** In place: negative numbers become 0. */
export function relu(x) {
  for (let i = 0; i < x.length; i++) if (x[i] < 0) x[i] = 0;
  return x;
}

/**
 * A convolution that keeps rows and columns. x and the result are [cells, channels]; W is [kernel, kernel, inputs,
 * outputs].
 */
function convolution({ kernel, inputs, outputs, W, b }, x, rows, columns) {
  const y = new Float64Array(rows * columns * outputs);
  const reach = (kernel - 1) / 2;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      const to = (row * columns + column) * outputs;
      for (let o = 0; o < outputs; o++) y[to + o] = b[o];
      for (let down = -reach; down <= reach; down++) {
        for (let right = -reach; right <= reach; right++) {
          const [r, c] = [row + down, column + right];
          if (r < 0 || r >= rows || c < 0 || c >= columns) continue;
          const from = (r * columns + c) * inputs;
          const weights = ((down + reach) * kernel + right + reach) * inputs;
          for (let i = 0; i < inputs; i++) {
            const factor = x[from + i];
            if (factor === 0) continue;
            const place = (weights + i) * outputs;
            for (let o = 0; o < outputs; o++) y[to + o] += factor * W[place + o];
          }
        }
      }
    }
  }
  return y;
}

/** [channels, cells] <-> [cells, channels]: an array of `columns` columns, turned. */
const turned = (x, columns) => x.map((_, place) => x[(place % (x.length / columns)) * columns + Math.floor(place / (x.length / columns))]);

/** A softmax over the legal actions; 0 where illegal. Throws an Error if a legal logit is no number. */
export function masked_policy(logits, legal) {
  let largest = -Infinity;
  for (const action of legal) {
    if (!Number.isFinite(logits[action])) throw new Error("the network's logits are not finite: its weights have probably diverged");
    if (logits[action] > largest) largest = logits[action];
  }
  const policy = new Float64Array(logits.length);
  let total = 0;
  for (const action of legal) total += policy[action] = Math.exp(logits[action] - largest);
  for (const action of legal) policy[action] /= total;
  return policy;
}

/** The value as a number, the logits: both in single precision, as PyTorch gives them. */
function answer(value, logits) {
  if (Number.isNaN(value)) throw new Error(DIVERGED);
  return [Math.fround(Math.tanh(value)), Float32Array.from(logits)];
}

// --- the networks

/** planes -> hidden -> hidden -> {num_actions logits, 1 value}: networks/policy_value.py. */
export class PolicyValueNet {
  constructor({ game, layers, settings = {} }) {
    Object.assign(this, { game, layers, settings });
  }

  static layers({ game, config }) {
    const [cells, hidden] = [game.planes * game.rows * game.columns, size(config.hidden)];
    return { trunk_1: [cells, hidden], trunk_2: [hidden, hidden], policy_head: [hidden, game.num_actions], value_head: [hidden, 1] };
  }

  forward(planes) {
    const { trunk_1, trunk_2, policy_head, value_head } = this.layers;
    const features = relu(linear(trunk_2, relu(linear(trunk_1, planes))));
    return answer(linear(value_head, features)[0], linear(policy_head, features));
  }
}

/**
 * A wide network, which may be told how each line stands, and may share its weights between a position and its mirror
 * image: networks/wide.py.
 */
export class WideNet {
  constructor({ game, config, layers, settings = {} }) {
    Object.assign(this, { game, config, layers, settings });
    this.lines = config.line ? lines_of(game.rows, game.columns, config.line) : null;
  }

  static layers({ game, config }) {
    const { line = null, mirror = null } = config;
    const widths = Array.from(config.widths ?? [], size);
    const cells = game.rows * game.columns;
    if (line !== null && !(Number.isInteger(line) && line > 1 && line <= Math.max(game.rows, game.columns))) throw new Error("its lines are none");
    const permutes = () => Array.isArray(mirror) && mirror.length === game.num_actions && Array.from(mirror.keys()).every((action) => mirror.includes(action));
    if (mirror !== null && !permutes()) throw new Error("its mirror image is none");
    const told = game.planes * cells + (line === null ? 0 : 2 * (cells + (line - 1) * lines_of(game.rows, game.columns, line).length));
    const layers = { trunk_0: [told, widths[0]] };
    for (let number = 1; number < widths.length; number++) {
      const shape = [widths[number - 1], widths[number]];
      if (mirror === null) layers[`trunk_${number}`] = shape;
      else Object.assign(layers, { [`trunk_${number}_sum`]: shape, [`trunk_${number}_difference`]: shape });
    }
    return { ...layers, policy_head: [widths.at(-1), game.num_actions], value_head: [widths.at(-1), 1] };
  }

  forward(planes) {
    const { policy_head, value_head } = this.layers;
    if (!this.config.mirror) {
      let features = relu(linear(this.layers.trunk_0, this.told(planes)));
      for (let number = 1; number < this.config.widths.length; number++) features = relu(linear(this.layers[`trunk_${number}`], features));
      return answer(linear(value_head, features)[0], linear(policy_head, features));
    }
    const [own, mirrored] = this.trunk(planes);
    const logits = linear(policy_head, own);
    const others = linear(policy_head, mirrored);
    this.config.mirror.forEach((action, place) => (logits[place] += others[action]));
    return answer(linear(value_head, own)[0] + linear(value_head, mirrored)[0], logits);
  }

  /** The features of a position and of its mirror image. */
  trunk(planes) {
    const { columns } = this.game;
    const flipped = planes.map((_, place) => planes[place - (place % columns) + columns - 1 - (place % columns)]);
    let [own, mirrored] = [planes, flipped].map((seen) => relu(linear(this.layers.trunk_0, this.told(seen))));
    for (let number = 1; number < this.config.widths.length; number++) {
      const same = linear(this.layers[`trunk_${number}_sum`], own.map((one, i) => one + mirrored[i]));
      const opposite = linear(this.layers[`trunk_${number}_difference`], own.map((one, i) => one - mirrored[i]));
      own = relu(same.map((one, o) => one + opposite[o]));
      mirrored = relu(same.map((one, o) => one - opposite[o]));
    }
    return [own, mirrored];
  }

  /**
   * The planes, and behind them what `Lines` tells: cells that complete a line, and lines that one side alone has 1, 2,
   * ... stones in.
   */
  told(planes) {
    const { lines, config } = this;
    if (lines === null) return planes;
    const cells = planes.length / 2;
    const told = new Float32Array(2 * cells + 2 * (cells + (config.line - 1) * lines.length));
    told.set(planes);
    lines.forEach((line, number) => {
      const held = [0, 0];
      for (const cell of line) {
        held[0] += planes[cell];
        held[1] += planes[cells + cell];
      }
      for (const side of [0, 1]) {
        const count = held[side];
        if (count === 0 || count === config.line || held[1 - side] > 0) continue;
        told[4 * cells + (2 * (count - 1) + side) * lines.length + number] = 1;
        if (count < config.line - 1) continue;
        for (const cell of line) if (planes[cell] + planes[cells + cell] === 0) told[2 * cells + side * cells + cell] = 1;
      }
    });
    return told;
  }
}

/** The tower of residual blocks: networks/resnet.py. */
export class ResNet {
  constructor({ game, config, layers, settings = {} }) {
    Object.assign(this, { game, config, layers, settings });
  }

  static layers({ game, config }) {
    const { kernel = 3, blocks } = config;
    const [channels, policy_filters, value_filters, value_hidden] = ["channels", "policy_filters", "value_filters", "value_hidden"].map((name) => size(config[name]));
    if (!(Number.isInteger(kernel) && kernel % 2 === 1 && kernel > 0 && kernel < 20)) throw new Error("its kernel is none");
    if (!(Number.isInteger(blocks) && blocks >= 0 && blocks < 200)) throw new Error("its tower is none");
    const cells = game.rows * game.columns;
    const layers = { stem: [game.planes, channels, kernel] };
    for (let block = 0; block < blocks; block++) for (const half of ["first", "second"]) layers[`tower_${block}_${half}`] = [channels, channels, kernel];
    return {
      ...layers,
      policy_filters: [channels, policy_filters, 1],
      policy_head: [policy_filters * cells, game.num_actions],
      value_filters: [channels, value_filters, 1],
      value_hidden: [value_filters * cells, value_hidden],
      value_head: [value_hidden, 1],
    };
  }

  forward(planes) {
    const { layers, config, game } = this;
    const convolved = (name, x) => convolution(layers[name], x, game.rows, game.columns);
    let features = relu(convolved("stem", turned(planes, game.rows * game.columns)));
    for (let block = 0; block < config.blocks; block++) {
      const change = convolved(`tower_${block}_second`, relu(convolved(`tower_${block}_first`, features)));
      features = relu(features.map((feature, place) => feature + change[place])); // the skip
    }
    const flattened = (name) => turned(relu(convolved(name, features)), layers[name].outputs);
    const logits = linear(layers.policy_head, flattened("policy_filters"));
    const hidden = relu(linear(layers.value_hidden, flattened("value_filters")));
    return answer(linear(layers.value_head, hidden)[0], logits);
  }
}

/** Knows nothing: every action is as good as any other, and every position is worth 0. */
export class UniformNetwork {
  constructor(game) {
    Object.assign(this, { game, settings: {} });
  }

  forward() {
    return [0, new Float32Array(this.game.num_actions)];
  }
}

/**
 * Remembers what it was asked: most positions are asked about several times. Make a new one when the network has
 * learned.
 */
export class CachedNetwork {
  constructor(network, most = 50_000) {
    Object.assign(this, { network, most, game: network.game, settings: network.settings, answers: new Map() });
  }

  forward(planes) {
    const key = planes.join("");
    let answer = this.answers.get(key);
    if (answer) return answer;
    if (this.answers.size >= this.most) this.answers.clear();
    this.answers.set(key, (answer = this.network.forward(planes)));
    return answer;
  }
}

// --- where weights come from

const ARCHITECTURES = { policy_value: PolicyValueNet, wide: WideNet, resnet: ResNet };

/** A `PolicyValueNet` with random weights: Glorot and Bengio 2010 ("Xavier"), biases 0. */
export function make_network(game, rng, hidden = 64) {
  const layers = PolicyValueNet.layers({ game, config: { hidden } });
  for (const [name, [inputs, outputs]] of Object.entries(layers)) {
    const limit = Math.sqrt(6 / (inputs + outputs));
    layers[name] = { inputs, outputs, W: Float32Array.from({ length: inputs * outputs }, () => limit * (2 * rng.random() - 1)), b: new Float32Array(outputs) };
  }
  return new PolicyValueNet({ game, layers });
}

/**
 * The network in `data` (an object, from JSON). Throws an Error, in a sentence, if the data is not a network or its
 * sizes don't fit. Nothing in it is run.
 */
export function load_network(data) {
  if (data?.version !== 1) throw new Error("this is not a network of the course, or one of another version");
  const kind = Object.hasOwn(ARCHITECTURES, data.architecture) ? ARCHITECTURES[data.architecture] : null;
  if (kind === null) throw new Error("there is no such kind of network");
  const game = new LineGame(data.game ?? {});
  const config = data.config ?? {};
  const shapes = Object.entries(kind.layers({ game, config }));
  const weights = shapes.reduce((sum, [, shape]) => sum + numbers_in(shape), 0);
  if (!(weights <= LARGEST_NETWORK)) throw new Error("its network would be larger than any");
  const layers = Object.fromEntries(shapes.map(([name, shape]) => [name, read_layer(data.layers?.[name], shape, data.number)]));
  const c_puct = Number(data.settings?.c_puct ?? 1.5);
  if (!(c_puct >= 0 && c_puct < Infinity)) throw new Error("its c_puct is no number");
  return new kind({ game, config, layers, settings: { c_puct } });
}

const numbers_in = ([inputs, outputs, kernel = 1]) => inputs * outputs * kernel ** 2;

function size(number) {
  if (!(Number.isInteger(number) && number > 0 && number <= LARGEST_SIZE)) throw new Error("a size of its network is none");
  return number;
}

function read_layer(layer, shape, number) {
  const [inputs, outputs, kernel = 1] = shape;
  const W = read_numbers(layer?.W, number, numbers_in(shape));
  const b = layer?.b === undefined ? null : read_numbers(layer.b, "float32", outputs);
  return { inputs, outputs, kernel, W, b: b ?? new Float32Array(outputs) };
}

/** Base64 -> Float32Array of exactly `count` finite numbers. */
function read_numbers(text, number, count) {
  const width = { float16: 2, float32: 4 }[number];
  if (!width || typeof text !== "string" || text.length !== 4 * Math.ceil((count * width) / 3)) throw new Error("its weights have another size than its network");
  let bytes;
  try {
    bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  } catch {
    throw new Error("its weights are no base64");
  }
  if (bytes.length !== count * width) throw new Error("its weights have another size than its network");
  const view = new DataView(bytes.buffer);
  const numbers = Float32Array.from({ length: count }, (_, place) => (width === 4 ? view.getFloat32(4 * place, true) : half(view.getUint16(2 * place, true))));
  if (!numbers.every(Number.isFinite)) throw new Error("its weights are not finite: they have probably diverged");
  return numbers;
}

/** The number that 16 bits mean. */
function half(bits) {
  const [sign, exponent, fraction] = [bits >> 15 ? -1 : 1, (bits >> 10) & 31, bits & 1023];
  if (exponent === 31) return fraction ? NaN : sign * Infinity;
  return sign * (exponent === 0 ? fraction * 2 ** -24 : (1 + fraction / 1024) * 2 ** (exponent - 15));
}
