// AlphaZero's tree search, one game at a time: search/puct.py in JavaScript, the same names in the same order.
//
// A simulation walks down the tree (`select`), adds one node (`expand`), asks the network what it is worth (`evaluate`)
// and carries that value back to the root (`backup`). Silver et al. 2018.

import { DIVERGED, masked_policy } from "./networks.js";

export const NO_ACTION = -100; // "there is nothing to expand"

/** A position in the search tree, with the statistics of the actions that leave it.
 *
 * N[a] counts the simulations that took action a here; W[a] sums the values they brought back, from the point of view of the player to
 * move *here*; P[a] is the network's prior, 0 until `evaluate` fills it in. `legal` lists the legal actions.
 */
export class Node {
  constructor(game, state, parent = null, parent_action = NO_ACTION) {
    this.state = state;
    this.parent = parent;
    this.parent_action = parent_action; // the action that leads from `parent` to here
    this.children = new Map(); // action -> node, made lazily, one a simulation

    this.N = new Float64Array(game.num_actions);
    this.W = new Float64Array(game.num_actions);
    this.P = new Float64Array(game.num_actions);
    this.legal = game.legal_actions(state);

    this.is_terminal = game.is_terminal(state);
    // 0 for a draw; -1 if the last move has won: the player to move here has lost
    this.terminal_value = this.is_terminal ? game.winner(state) * game.to_play(state) : 0;
  }

  /** [num_actions]: mean value of each action for the player to move here, who chooses; 0 where it was never tried. */
  get Q() {
    return this.W.map((worth, action) => worth / Math.max(this.N[action], 1));
  }
}

/**
 * The legal action with the highest Q + U, U = c_puct * P * sqrt(1 + sum of N) / (1 + N). Ties go to the lowest action.
 */
export function select_child(node, c_puct) {
  const { N, W, P, legal } = node;
  const root_of_visits = Math.sqrt(1 + sum(N));
  let [best, chosen] = [-Infinity, NO_ACTION];
  for (const action of legal) {
    const Q = W[action] / Math.max(N[action], 1);
    const U = (c_puct * P[action] * root_of_visits) / (1 + N[action]);
    if (Q + U > best) [best, chosen] = [Q + U, action];
  }
  return chosen;
}

/** Walk down from `root`, always by `select_child`, until there is no child to walk on to: [node, action], the place to expand; or
 * a finished game, with NO_ACTION. */
export function select(root, c_puct) {
  let node = root;
  while (!node.is_terminal) {
    const action = select_child(node, c_puct);
    if (!node.children.has(action)) return [node, action];
    node = node.children.get(action);
  }
  return [node, NO_ACTION];
}

/** Make the child that `action` leads to, and tie it to the tree. */
export function expand(node, action, game) {
  const child = new Node(game, game.play(node.state, action), node, action);
  node.children.set(action, child);
  return child;
}

/** What `node` is worth to the player to move there; fills in its priors. */
export function evaluate(node, network, game) {
  if (node.is_terminal) return node.terminal_value;
  const [value, logits] = network.forward(game.encode(node.state));
  node.P = masked_policy(logits, node.legal);
  return value;
}

/**
 * Carry `value` from `leaf` up to the root, and count one visit of every move on the way. The sign flips at each step
 * up.
 */
export function backup(leaf, value) {
  let node = leaf;
  while (node.parent !== null) {
    value = -value;
    const action = node.parent_action;
    node = node.parent;
    node.N[action] += 1;
    node.W[action] += value;
  }
}

/** Search from `state` with a new tree; returns the root. `noise`: null, or (prior, legal, rng) -> prior. */
export function mcts_search(game, state, network, simulations, c_puct, { noise = null, rng = null } = {}) {
  if (game.is_terminal(state)) throw new Error("the game is over at this state: there is nothing to search for");
  const root = new Node(game, state);
  evaluate(root, network, game);
  if (noise !== null) root.P = noise(root.P, root.legal, rng);
  search_on(root, network, game, simulations, c_puct);
  return root;
}

/** Go on with the search of `root`, which has been evaluated: `simulations` more. */
export function search_on(root, network, game, simulations, c_puct) {
  for (let simulation = 0; simulation < simulations; simulation++) {
    let [node, action] = select(root, c_puct);
    if (action !== NO_ACTION) node = expand(node, action, game);
    const value = evaluate(node, network, game);
    backup(node, value);
  }
  if (root.W.some(Number.isNaN)) throw new Error(DIVERGED);
}

export function sum(numbers) {
  let total = 0;
  for (const number of numbers) total += number;
  return total;
}

/** Where the largest number stands; the first of equals. */
export function argmax(numbers) {
  let best = 0;
  for (let place = 1; place < numbers.length; place++) if (numbers[place] > numbers[best]) best = place;
  return best;
}
