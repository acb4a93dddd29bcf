// What plays: a network with a search, and perfect play on a small board. agents/search.py, agents/basic.py and
// ui/analysis.py in JavaScript.

import { text_of } from "./games.js";
import { masked_policy } from "./networks.js";
import { argmax, evaluate, Node, search_on, sum } from "./puct.js";

/**
 * Plays the most visited action of a search; deterministic, ties to the lowest action. With 0 simulations it plays by
 * the network alone.
 */
export class SearchAgent {
  constructor(game, network, simulations, c_puct = network.settings.c_puct ?? 1.5) {
    Object.assign(this, { game, network, simulations, c_puct, latest: null });
  }

  act(state) {
    return argmax(this.think(state).policy);
  }

  policy(state) {
    return this.think(state).policy;
  }

  /** From -1 to 1, for the player to move: the search's mean value; with 0 simulations the network's. */
  value(state) {
    return this.think(state).value;
  }

  /** `prior`, `visits` and `Q` of each action; Q is NaN where nothing was tried; with 0 simulations only `prior`. */
  statistics(state) {
    return this.think(state).statistics;
  }

  think(state) {
    const steps = this.thinking(state);
    let step = steps.next();
    while (!step.done) step = steps.next();
    return step.value;
  }

  /**
   * The same search in slices of `slice` simulations: it yields its root after each, so that a page can draw, or stop
   * it.
   */
  *thinking(state, slice = 50) {
    const { game, network, simulations, c_puct } = this;
    const key = text_of(state);
    if (this.latest?.key === key) return this.latest;
    if (game.is_terminal(state)) throw new Error("the game is over at this state: there is nothing to play");
    const root = new Node(game, state);
    const value = evaluate(root, network, game);
    for (let done = 0; done < simulations; done += slice) {
      search_on(root, network, game, Math.min(slice, simulations - done), c_puct);
      yield root;
    }
    if (simulations === 0) return (this.latest = { key, root, policy: root.P, value, statistics: { prior: root.P } });
    const visits = sum(root.N);
    const Q = root.Q.map((worth, action) => (root.N[action] > 0 ? worth : NaN));
    const statistics = { prior: root.P, visits: root.N, Q };
    return (this.latest = { key, root, policy: root.N.map((count) => count / visits), value: sum(root.W) / visits, statistics });
  }
}

/** Perfect play, for games small enough to look at every position. Among equally good actions the lowest. */
export class MinimaxAgent {
  constructor(game) {
    Object.assign(this, { game, known: new Map() });
  }

  act(state) {
    const plies = Object.entries(this.plies(state));
    const best = Math.max(...plies.map(([, count]) => Math.sign(count)));
    return Number(plies.find(([, count]) => Math.sign(count) === best)[0]);
  }

  /** Even over the actions that keep the value. */
  policy(state) {
    const plies = this.plies(state);
    const value = this.value(state);
    const policy = Array.from({ length: this.game.num_actions }, (_, action) => Number(action in plies && Math.sign(plies[action]) === value));
    const best = sum(policy);
    return policy.map((share) => share / best);
  }

  value(state) {
    return this.end(state)[0];
  }

  statistics(state) {
    const Q = new Float64Array(this.game.num_actions).fill(NaN);
    for (const [action, count] of Object.entries(this.plies(state))) Q[action] = Math.sign(count);
    return { Q };
  }

  /** Action -> in how many plies the game is won (+) or lost (-), or 0 for a draw. */
  plies(state) {
    const ends = this.game.legal_actions(state).map((action) => [action, this.end(this.game.play(state, action))]);
    return Object.fromEntries(ends.map(([action, [value, plies]]) => [action, value === 0 ? 0 : -value * (plies + 1)]));
  }

  /** [+1, 0 or -1 for the player to move, plies to the end]: who wins, wins soon, and who loses, loses late. */
  end(state) {
    const key = text_of(state);
    if (this.known.has(key)) return this.known.get(key);
    let end = [this.game.winner(state) * this.game.to_play(state), 0];
    if (!this.game.is_terminal(state)) {
      const ends = this.game.legal_actions(state).map((action) => this.end(this.game.play(state, action)));
      const rank = ([value, plies]) => 1000 * value - value * plies;
      end = ends.map(([value, plies]) => [value === 0 ? 0 : -value, plies + 1]).reduce((best, other) => (rank(other) > rank(best) ? other : best));
    }
    this.known.set(key, end);
    return end;
  }
}
