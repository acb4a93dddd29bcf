// Self-play: an agent plays itself, and every position becomes an example to learn from. learning/self_play.py in
// JavaScript.

import { argmax, mcts_search, sum } from "./puct.js";

/**
 * Choose an action with probability proportional to visits ** (1 / temperature); 0 takes the most visited one, the
 * first of equals.
 */
export function sample_action(visits, temperature, rng) {
  if (temperature === 0) return argmax(visits);
  const most = Math.max(...visits);
  return rng.choice(visits.map((count) => (count / most) ** (1 / temperature)));
}

/**
 * Mix Dirichlet noise into a prior: (1 - fraction) * prior + fraction * Dirichlet(alpha). Only legal actions get noise.
 */
export function add_root_noise(prior, legal, rng, { alpha = 0.5, fraction = 0.25 } = {}) {
  const noise = rng.dirichlet(alpha, legal.length);
  const mixed = prior.map((share) => (1 - fraction) * share);
  legal.forEach((action, place) => (mixed[action] += fraction * noise[place]));
  return mixed;
}

/** How the game ended, for the player to move at each position. */
export const value_targets = (players, winner) => players.map((player) => player * winner);

/** Play one game against oneself: an example { planes, policy, value } for each position that was searched. */
export function self_play_game(game, network, rng, { simulations = 50, c_puct = 1.5, exploratory_plies = 3, noise_alpha = 0.5, noise_fraction = 0.25 } = {}) {
  const noise = (prior, legal) => add_root_noise(prior, legal, rng, { alpha: noise_alpha, fraction: noise_fraction });
  const [positions, policies, players] = [[], [], []]; // planes, the visits' shares, who moves
  let state = game.initial_state();
  while (!game.is_terminal(state)) {
    const visits = mcts_search(game, state, network, simulations, c_puct, { noise, rng }).N;
    const total = sum(visits);
    positions.push(game.encode(state));
    policies.push(visits.map((count) => count / total));
    players.push(game.to_play(state));
    const temperature = players.length <= exploratory_plies ? 1 : 0;
    state = game.play(state, sample_action(visits, temperature, rng));
  }
  const values = value_targets(players, game.winner(state));
  return positions.map((planes, ply) => ({ planes, policy: policies[ply], value: values[ply] }));
}

/** Random numbers from a seed (mulberry32). The same seed gives the same numbers on every machine. */
export class Generator {
  constructor(seed = 0) {
    this.state = seed | 0;
  }

  /** From 0 to 1, without 1. */
  random() {
    this.state = (this.state + 0x6d2b79f5) | 0;
    let bits = Math.imul(this.state ^ (this.state >>> 15), 1 | this.state);
    bits = (bits + Math.imul(bits ^ (bits >>> 7), 61 | bits)) ^ bits;
    return ((bits ^ (bits >>> 14)) >>> 0) / 2 ** 32;
  }

  /** A whole number below `high`. */
  integer(high) {
    return Math.floor(this.random() * high);
  }

  /** A place in `weights`, with a probability proportional to its weight. */
  choice(weights) {
    let left = this.random() * sum(weights);
    const chosen = weights.findIndex((weight) => (left -= weight) < 0);
    return chosen >= 0 ? chosen : weights.findLastIndex((weight) => weight > 0);
  }

  normal() {
    return Math.sqrt(-2 * Math.log(1 - this.random())) * Math.cos(2 * Math.PI * this.random());
  }

  /** Marsaglia and Tsang 2000. */
  gamma(alpha) {
    if (alpha < 1) return this.gamma(alpha + 1) * (1 - this.random()) ** (1 / alpha);
    const d = alpha - 1 / 3;
    for (;;) {
      const x = this.normal();
      const v = (1 + x / Math.sqrt(9 * d)) ** 3;
      if (v > 0 && Math.log(1 - this.random()) < 0.5 * x * x + d - d * v + d * Math.log(v)) return d * v;
    }
  }

  dirichlet(alpha, length) {
    const draws = Array.from({ length }, () => this.gamma(alpha));
    const total = sum(draws);
    return draws.map((draw) => draw / total);
  }
}
