// AlphaZero's training for the network of the main road: the loss, its gradient, AdamW, a step, and the loop.
// learning/training.py in JavaScript, with the backward pass of networks/by_hand.py in autograd's place.

import { CachedNetwork, linear, relu } from "./networks.js";
import { argmax, sum } from "./puct.js";
import { self_play_game } from "./self_play.js";

/**
 * AlphaZero's loss in two parts, each a mean over the batch: (z - v)^2 and -pi . log p. `value` and `target_value` are
 * [batch], the others [batch][num_actions].
 */
export function alphazero_loss(value, logits, target_value, target_policy) {
  const value_loss = sum(value.map((v, row) => (target_value[row] - v) ** 2)) / value.length;
  const policy_loss = -sum(logits.map((row, place) => sum(log_softmax(row).map((log_p, action) => target_policy[place][action] * log_p)))) / value.length;
  return [value_loss, policy_loss];
}

function log_softmax(logits) {
  const largest = Math.max(...logits);
  const log_total = largest + Math.log(sum(Array.from(logits, (logit) => Math.exp(logit - largest))));
  return Array.from(logits, (logit) => logit - log_total);
}

/** The parameters of a network, each { numbers, gradient }, by the names "trunk_1.W", "trunk_1.b", ... */
export function parameters_of(net) {
  const parameters = {};
  for (const [name, layer] of Object.entries(net.layers)) {
    for (const kind of ["W", "b"]) parameters[`${name}.${kind}`] = { numbers: layer[kind], gradient: new Float64Array(layer[kind].length) };
  }
  return parameters;
}

/**
 * Add the gradient of the loss of a batch of examples { planes, policy, value } to `parameters`. Returns both parts of
 * the loss.
 */
export function backward(net, parameters, batch) {
  const { trunk_1, trunk_2, policy_head, value_head } = net.layers;
  const [values, all_logits] = [[], []];
  for (const { planes, policy, value: z } of batch) {
    const h1 = relu(linear(trunk_1, planes));
    const h2 = relu(linear(trunk_2, h1));
    const logits = linear(policy_head, h2);
    const v = Math.tanh(linear(value_head, h2)[0]);
    values.push(v);
    all_logits.push(logits);

    const d_logits = log_softmax(logits).map((log_p, action) => (Math.exp(log_p) - policy[action]) / batch.length);
    const d_value = [(2 * (v - z) * (1 - v * v)) / batch.length]; // through the square and tanh
    const d_h2 = new Float64Array(h2.length);
    linear_backward(policy_head, parameters, "policy_head", h2, d_logits, d_h2);
    linear_backward(value_head, parameters, "value_head", h2, d_value, d_h2);
    const d_h1 = new Float64Array(h1.length);
    linear_backward(trunk_2, parameters, "trunk_2", h1, relu_backward(h2, d_h2), d_h1);
    linear_backward(trunk_1, parameters, "trunk_1", planes, relu_backward(h1, d_h1), null);
  }
  return alphazero_loss(values, all_logits, batch.map(({ value }) => value), batch.map(({ policy }) => policy));
}

/**
 * `d_out` is the gradient of the loss for each output of a layer. Adds the gradients of its weights, and of its inputs
 * to `d_x`.
 */
function linear_backward({ inputs, outputs, W }, parameters, name, x, d_out, d_x) {
  const [d_W, d_b] = [parameters[`${name}.W`].gradient, parameters[`${name}.b`].gradient];
  for (let o = 0; o < outputs; o++) d_b[o] += d_out[o];
  for (let i = 0; i < inputs; i++) {
    const row = i * outputs;
    const factor = x[i];
    if (factor !== 0) for (let o = 0; o < outputs; o++) d_W[row + o] += factor * d_out[o];
    if (d_x !== null) {
      let total = 0;
      for (let o = 0; o < outputs; o++) total += d_out[o] * W[row + o];
      d_x[i] += total;
    }
  }
}

/** In place: nothing flows back through a unit that a ReLU has cut off. */
function relu_backward(h, d_h) {
  for (let i = 0; i < h.length; i++) if (h[i] <= 0) d_h[i] = 0;
  return d_h;
}

/** Adam with decoupled weight decay (Loshchilov and Hutter 2019), with PyTorch's defaults. */
export class AdamW {
  constructor(parameters, { learning_rate = 1e-3, weight_decay = 1e-2 } = {}) {
    Object.assign(this, { learning_rate, weight_decay, steps: 0 });
    this.slots = Object.values(parameters).map(({ numbers, gradient }) => ({ numbers, gradient, m: new Float64Array(numbers.length), v: new Float64Array(numbers.length) }));
  }

  zero_grad() {
    for (const { gradient } of this.slots) gradient.fill(0);
  }

  step() {
    this.steps += 1;
    const [bias_1, bias_2] = [1 - 0.9 ** this.steps, 1 - 0.999 ** this.steps];
    for (const { numbers, gradient, m, v } of this.slots) {
      for (let i = 0; i < numbers.length; i++) {
        m[i] = 0.9 * m[i] + 0.1 * gradient[i];
        v[i] = 0.999 * v[i] + 0.001 * gradient[i] ** 2;
        const shrunk = numbers[i] * (1 - this.learning_rate * this.weight_decay);
        numbers[i] = shrunk - (this.learning_rate * (m[i] / bias_1)) / (Math.sqrt(v[i] / bias_2) + 1e-8);
      }
    }
  }
}

/** One step of gradient descent on one batch. Returns both parts of the loss before the step. */
export function train_step(net, parameters, optimizer, batch) {
  optimizer.zero_grad();
  const [value, policy] = backward(net, parameters, batch);
  optimizer.step();
  return { value, policy };
}

export const TRAINING = {
  iterations: 20,
  games: 120,
  simulations: 25,
  c_puct: 1.5,
  exploratory_plies: 9,
  noise_alpha: 1,
  noise_fraction: 0.5,
  buffer: 40_000,
  steps: 100,
  batch: 128,
  learning_rate: 1e-2,
  weight_decay: 1e-4,
};

/**
 * A run as it is between two iterations. There is no gate: the network that learns is the one that plays (Silver et al.
 * 2018).
 */
export class Run {
  constructor(game, net, rng, config = {}) {
    Object.assign(this, { game, net, rng, config: { ...TRAINING, ...config }, buffer: [], history: [] });
    this.parameters = parameters_of(net);
    this.optimizer = new AdamW(this.parameters, { weight_decay: this.config.weight_decay });
  }

  /**
   * Self-play, then learning; `on_game(played)` is called after each game. Returns what is kept in `history`: both
   * parts of the loss, a mean over the steps.
   */
  iteration(on_game = () => {}) {
    const { game, net, rng, config, buffer } = this;
    this.optimizer.learning_rate = config.learning_rate * (1 - (0.9 * Math.min(this.history.length, config.iterations)) / config.iterations);

    const { simulations, c_puct, exploratory_plies, noise_alpha, noise_fraction } = config;
    const network = new CachedNetwork(net);
    for (let played = 0; played < config.games; played++) {
      for (const { planes, policy, value } of self_play_game(game, network, rng, { simulations, c_puct, exploratory_plies, noise_alpha, noise_fraction }))
        for (const [turned, moved] of game.symmetries(planes, policy)) buffer.push({ planes: turned, policy: moved, value });
      on_game(played + 1);
    }
    buffer.splice(0, Math.max(0, buffer.length - config.buffer));

    const losses = { value: 0, policy: 0 };
    for (let step = 0; step < config.steps; step++) {
      const batch = Array.from({ length: config.batch }, () => buffer[rng.integer(buffer.length)]);
      const loss = train_step(net, this.parameters, this.optimizer, batch);
      for (const name of ["value", "policy"]) losses[name] += loss[name] / config.steps;
    }
    this.history.push(losses);
    return losses;
  }
}

/**
 * How many lines of play a deterministic player loses, over all replies: as the first player, as the second.
 * `act(state)` -> action.
 */
export function count_lines(game, act) {
  return [1, -1].map((side) => {
    const losses = (state) => {
      if (game.is_terminal(state)) return game.winner(state) === -side ? 1 : 0;
      const actions = game.to_play(state) === side ? [act(state)] : game.legal_actions(state);
      return sum(actions.map((action) => losses(game.play(state, action))));
    };
    return losses(game.initial_state());
  });
}

/** What the network alone plays: the legal action with the highest logit, the first of equals. */
export function network_move(game, network, state) {
  const [, logits] = network.forward(game.encode(state));
  const legal = game.legal_actions(state);
  return legal[argmax(legal.map((action) => logits[action]))];
}
