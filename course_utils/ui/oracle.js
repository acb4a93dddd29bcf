// What a `Session` asks on a page: the engine. Searches go in short slices, so that the page stays alive, and end when
// their requests are aborted.

const SLICE = 8; // simulations
const FRAME = 12; // ms of thinking until the page has its turn
const ENDS = { 1: "a win", 0: "a draw", "-1": "a loss" };
const SMALL = 9; // cells: every position can be looked at
const [TIMES, LEAST, SERIOUS] = [10, 100, 0.5]; // as in analysis.py

class EngineOracle {
  /** `agents`: name -> a network (`exported` in networks/exported.py), or null for perfect play on a small board. */
  constructor({ game, agents, perfectly }) {
    this.game = new engine.LineGame(game);
    this.perfectly = perfectly;
    const networks = Object.entries(agents).filter(([, data]) => data !== null);
    this.networks = Object.fromEntries(networks.map(([name, data]) => [name, new engine.CachedNetwork(engine.load_network(data))]));
    this.perfect = this.game.rows * this.game.columns <= SMALL ? new engine.MinimaxAgent(this.game) : null;
    this.agents = new Map(); // "name strength" -> agent
    this.watch = null; // (root, game, whole): is shown the tree of a search for a move, while it grows
  }

  // --- the five questions

  position(line) {
    const { game } = this;
    const state = engine.after(game, line);
    const legal = game.legal_actions(state);
    const closed = legal.length ? Array.from({ length: game.num_actions }, (_, action) => action).filter((action) => !legal.includes(action)) : [];
    return {
      cells: engine.text_of(state),
      legal,
      landing: Object.fromEntries(legal.map((action) => [action, this.square(game.landing(state, action))])),
      refusals: Object.fromEntries(closed.map((action) => [action, game.why_illegal(state, action)])),
      to_play: state.to_play,
      over: game.is_terminal(state),
      winner: state.winner,
      lines: this.winningLines(state),
    };
  }

  async act(name, line, strength, signal) {
    const [agent, state] = [this.agent(name, strength), engine.after(this.game, line)];
    await this.think(agent, state, signal, this.watch);
    return agent.act(state);
  }

  async thoughts(kind, name, line, strength, signal) {
    const state = engine.after(this.game, line);
    if (kind === "perfect") return this.perfect.plies(state);
    const agent = this.agent(name, strength);
    await this.think(agent, state, signal);
    const searched = agent === this.perfect || strength > 0;
    const shares = kind === "visits" ? (searched ? agent.policy(state) : []) : (agent.statistics(state)[kind] ?? []);
    return Object.fromEntries(this.game.legal_actions(state).filter((action) => Number.isFinite(shares[action])).map((action) => [action, shares[action]]));
  }

  async value(name, line, strength, signal) {
    const [agent, state] = [this.agent(name, strength), engine.after(this.game, line)];
    if (this.game.is_terminal(state)) return state.winner;
    await this.think(agent, state, signal);
    return state.to_play * agent.value(state);
  }

  /** What is wrong with the last move: exactly on a small board, elsewhere by a stronger search. */
  async verdict(line, strength, signal) {
    const [before, after, action] = [engine.after(this.game, line.slice(0, -1)), engine.after(this.game, line), line.at(-1)];
    if (this.perfect) return this.exactly(before, action);
    const agent = this.agent(Object.keys(this.networks)[0], this.thorough(strength));
    await this.think(agent, before, signal);
    const [better, best] = [agent.act(before), agent.value(before)];
    if (better === action) return { mark: "", words: "" };
    const over = this.game.is_terminal(after);
    if (!over) await this.think(agent, after, signal);
    const got = over ? before.to_play * after.winner : -agent.value(after);
    if (best - got < SERIOUS) return { mark: "", words: "" };
    const number = (value) => (value < 0 ? "−" : "+") + Math.abs(value).toFixed(2);
    const words = `a mistake: from ${number(best)} to ${number(got)} for the player who made it; ${this.actionName(better)} is better`;
    return { mark: best - got > 2 * SERIOUS ? "??" : "?", words };
  }

  // --- in words

  searches(name) {
    return name in this.networks;
  }

  actionName(action) {
    return this.game.action_name(action);
  }

  analyzed(strength) {
    return this.perfect ? "by perfect play" : `by ${counted(this.thorough(strength), "simulation")}`;
  }

  // --- how it finds out

  agent(name, strength) {
    if (!this.searches(name)) return this.perfect;
    const key = `${name} ${strength}`;
    if (!this.agents.has(key)) this.agents.set(key, new engine.SearchAgent(this.game, this.networks[name], strength));
    return this.agents.get(key);
  }

  thorough(strength) {
    return Math.max(LEAST, TIMES * strength);
  }

  /** The agent looks at a position; its answers are there afterwards. `watch(root, game, whole)` sees the tree grow. */
  async think(agent, state, signal, watch = null) {
    let since = performance.now();
    for (const root of agent.thinking?.(state, SLICE) ?? []) {
      if (performance.now() - since < FRAME) continue;
      watch?.(root, this.game, false);
      await later(0);
      if (signal.aborted) throw new Error("nobody waits any more");
      since = performance.now();
    }
    if (agent.latest?.root) watch?.(agent.latest.root, this.game, true);
  }

  /** From now on an agent asks this network. */
  renew(name, network) {
    this.networks[name] = new engine.CachedNetwork(network);
    this.agents.clear();
  }

  exactly(before, action) {
    const plies = Object.entries(this.perfect.plies(before));
    const scores = Object.fromEntries(plies.map(([other, count]) => [other, Math.sign(count)]));
    const best = Math.max(...Object.values(scores));
    if (best === scores[action]) return { mark: "", words: "" };
    const better = Object.keys(scores).find((other) => scores[other] === best);
    return { mark: "?".repeat(best - scores[action]), words: `a mistake: it turns ${ENDS[best]} into ${ENDS[scores[action]]}; ${this.actionName(better)} keeps it` };
  }

  square(cell) {
    return [Math.floor(cell / this.game.columns), cell % this.game.columns];
  }

  /** The lines of n or more stones of the winner, each its squares from end to end. */
  winningLines({ cells, winner }) {
    const { rows, columns, n } = this.game;
    const theirs = (row, column) => winner !== 0 && row >= 0 && row < rows && column >= 0 && column < columns && cells[row * columns + column] === winner;
    const lines = [];
    for (let cell = 0; cell < cells.length; cell++) {
      for (const [down, right] of [[0, 1], [1, 0], [1, 1], [1, -1]]) {
        const line = [];
        let [row, column] = this.square(cell);
        if (theirs(row - down, column - right)) continue; // not the first of its line
        for (; theirs(row, column); row += down, column += right) line.push([row, column]);
        if (line.length >= n) lines.push(line);
      }
    }
    return lines;
  }
}
