// Records a search of the engine for the microscope: search/recording.py in JavaScript, for PUCT. Needs `engine`.

const PRECISION = 1e6;
const rounded = (number) => Math.round(number * PRECISION) / PRECISION;

/**
 * A recording of `simulations` simulations from the position after `line`. With noise the root's priors are perturbed,
 * as in self-play.
 */
function recordSearch(game, network, { position, simulations, noise }) {
  const c_puct = network.settings.c_puct ?? 1.5;
  const root = new engine.Node(game, engine.after(game, position));
  if (root.is_terminal) throw new Error("the game is over at this state: there is nothing to search for");
  engine.evaluate(root, network, game);
  const recording = { search: "puct", c: c_puct, nodes: [], simulations: [], unperturbed: null, remark: "" };
  if (noise) {
    recording.unperturbed = root.legal.map((action) => rounded(root.P[action]));
    root.P = engine.add_root_noise(root.P, root.legal, new engine.Generator(0));
  }
  const numbers = new Map(); // node -> its number
  const note = (node) => {
    numbers.set(node, numbers.size);
    recording.nodes.push({
      parent: node.parent === null ? null : numbers.get(node.parent),
      action: node.parent === null ? null : node.parent_action,
      cells: engine.text_of(node.state),
      to_play: game.to_play(node.state),
      over: node.is_terminal ? game.winner(node.state) : null,
      legal: [...node.legal],
      P: node.legal.map((action) => rounded(node.P[action])),
    });
  };
  note(root);
  for (let simulation = 0; simulation < simulations; simulation++) {
    let [leaf, action] = engine.select(root, c_puct);
    const isNew = action !== engine.NO_ACTION;
    if (isNew) leaf = engine.expand(leaf, action, game);
    const value = engine.evaluate(leaf, network, game);
    if (isNew) note(leaf);
    engine.backup(leaf, value);
    const up = [];
    for (let [node, change] = [leaf, value]; node.parent !== null; node = node.parent) {
      change = -change;
      up.push([numbers.get(node.parent), node.parent_action, 1, rounded(change)]);
    }
    const source = leaf.is_terminal ? "rules" : "network";
    recording.simulations.push({ leaf: numbers.get(leaf), new: isNew, value: rounded(value), source, up });
  }
  const cells = Array.from({ length: game.rows * game.columns }, (_, cell) => cell);
  return {
    ...recording,
    rows: game.rows,
    columns: game.columns,
    names: Array.from({ length: game.num_actions }, (_, action) => game.action_name(action)),
    cell_actions: cells.map((cell) => game.action_at(Math.floor(cell / game.columns), cell % game.columns)),
  };
}

/**
 * The microscope's model on a page with an engine: any search of PUCT can be asked for. `networks`: name -> network.
 */
class LiveScope extends Model {
  constructor(game, networks, choice) {
    super({ recordings: [], choice: null, agents: Object.keys(networks), said: "" });
    Object.assign(this, { game, networks });
    this.set("choice", choice);
  }

  offers({ search }) {
    return search === "puct";
  }

  set(name, value) {
    super.set(name, value);
    if (name === "choice") this.record(value);
  }

  record(choice) {
    const kept = this.get("recordings");
    const key = JSON.stringify;
    if (kept.some((recording) => key(recording.choice) === key(choice))) return;
    try {
      const recording = recordSearch(this.game, this.networks[choice.agent], choice);
      super.set("recordings", [...kept.slice(-20), { choice, recording }]);
      [this.shown] = [choice];
    } catch (error) {
      super.set("choice", this.shown);
      super.set("said", `This search can't be shown: ${error.message}.`);
    }
  }
}
