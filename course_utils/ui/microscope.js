// The search microscope. A recording (course_utils/search/recording.py says what is in it) is whole: the page puts the
// tree together as it stood at any moment, forwards and backwards, and asks the kernel only for another search.

const SIDE = { 1: "X", "-1": "O" };
const SEARCHES = { puct: "PUCT", uct: "UCT, with rollouts", batched: "PUCT in a batch" };
const PHASES = ["select", "expand", "evaluate", "backup"];
const HEARD = ["change:recordings", "change:choice", "change:said"];
const SPEEDS = { slow: 1600, normal: 800, fast: 250, "very fast": 60 };
const TERMS = {
  score: "Q + U: the move with the highest is taken.",
  Q: "Q = W / N: what the simulations through this move brought back, on average, for the player who chooses here.",
  U: "U: how much the move still deserves to be tried.",
  c: "c: how much trying counts against what is known.",
  P: "P: the network's prior, written once, when the node is evaluated.",
  S: "ΣN: the simulations through this node. As they add up, every move that is not tried becomes more interesting.",
  N: "N: the simulations through this move. Each one makes it less interesting.",
};

// --- a recording at a moment -----------------------------------------------------------------------------------------

/**
 * Every moment of a recording, in order: {simulation, phase, depth}; depth is that of the node where something happens.
 */
function momentsOf(recording) {
  const moments = [{ simulation: -1, phase: "start", depth: 0 }];
  recording.simulations.forEach(({ leaf }, simulation) => {
    const depth = pathTo(recording, leaf).length - 1;
    for (let at = 0; at < depth; at++) moments.push({ simulation, phase: "select", depth: at });
    moments.push({ simulation, phase: "expand", depth }, { simulation, phase: "evaluate", depth });
    for (let at = depth - 1; at >= 0; at--) moments.push({ simulation, phase: "backup", depth: at });
  });
  return moments;
}

/** The nodes from the root to this one. */
function pathTo(recording, node) {
  const path = [node];
  while (recording.nodes[path[0]].parent !== null) path.unshift(recording.nodes[path[0]].parent);
  return path;
}

/** The tree as it stood: for each node that is there {N, W} by action. */
function treeAt(recording, { simulation, phase, depth }) {
  const tree = new Map([[0, { N: {}, W: {} }]]);
  const change = ([node, action, visits, worth]) => {
    const { N, W } = tree.get(node);
    N[action] = (N[action] ?? 0) + visits;
    W[action] = (W[action] ?? 0) + worth;
  };
  recording.simulations.slice(0, simulation + 1).forEach(({ leaf, up }, number) => {
    const past = number < simulation;
    // of which more than the leaf may be new in a tree that is put together wrongly
    const path = pathTo(recording, leaf);
    for (const node of past || phase !== "select" ? path : path.slice(0, -1)) if (!tree.has(node)) tree.set(node, { N: {}, W: {} });
    if (past) up.forEach(change);
    else if (phase === "backup") up.filter(([node]) => pathTo(recording, node).length - 1 >= depth).forEach(change);
  });
  return tree;
}

/**
 * What selection sees at a node: for each legal action {action, N, W, Q, P, U, score}, where U and score are null for a
 * move that UCT has not tried.
 */
function edgesOf(recording, tree, number) {
  const node = recording.nodes[number];
  const { N, W } = tree.get(number);
  const sum = Object.values(N).reduce((total, visits) => total + visits, 0);
  const uct = recording.search === "uct";
  const here = uct && number ? tree.get(node.parent).N[node.action] : sum;
  return node.legal.map((action, place) => {
    const visits = N[action] ?? 0;
    const edge = { action, N: visits, W: W[action] ?? 0, P: node.P?.[place] ?? null, S: here };
    edge.Q = edge.W / Math.max(visits, 1);
    if (!uct) edge.U = (recording.c * edge.P * Math.sqrt(1 + sum)) / (1 + visits);
    else edge.U = visits ? recording.c * Math.sqrt(Math.log(here) / visits) : null;
    edge.score = edge.U === null ? null : edge.Q + edge.U;
    return edge;
  });
}

/** The chosen edge, the best of the others, and the term that put it ahead. */
function decision(edges, action) {
  const chosen = edges.find((edge) => edge.action === action);
  const others = edges.filter((edge) => edge !== chosen && edge.score !== null);
  if (!chosen || chosen.score === null || !others.length) return { chosen };
  const second = others.reduce((best, edge) => (edge.score > best.score ? edge : best));
  return { chosen, second, won: chosen.Q - second.Q > chosen.U - second.U ? "Q" : "U" };
}

// --- small parts -----------------------------------------------------------------------------------------------------

function fixed(number, digits = 3, plus = false) {
  const text = Math.abs(number).toFixed(digits);
  if (Number(text) === 0) return text;
  return (number < 0 ? "−" : plus ? "+" : "") + text;
}

const worth = (value, player) => `${fixed(value, 2, true)} for ${SIDE[player]}`;
const shortName = (name) => name.replace(/^\D+ (?=\d+$)/, ""); // "column 3" is "3" where there is little room
const ended = (winner) => (winner ? `${SIDE[winner]} wins` : "draw");

/** A position as a picture. shares: by action, to shade and name free cells; before: the cells one move earlier. */
function position(recording, cells, { width, before = null, shares = null, title }) {
  const { rows, columns, cell_actions: actions } = recording;
  const several = new Set(actions).size < actions.length; // a column is one action
  const above = shares && several ? 0.55 : 0;
  const picture = s("svg", {
    viewBox: `-0.06 ${-0.06 - above} ${columns + 0.12} ${rows + 0.12 + above}`, width, class: "position", role: title ? "img" : null, "aria-label": title, "aria-hidden": title ? null : "true",
  });
  picture.append(s("rect", { x: 0, y: 0, width: columns, height: rows, class: "ground" }));
  const most = shares ? Math.max(...Object.values(shares), 1e-9) : 1;
  const shade = (x, y, share) => s("rect", { x, y, width: 1, height: 1, class: "share", style: `opacity:${(0.45 * share) / most}` });
  const text = (x, y, share, size) => s("text", { x, y, "font-size": size, class: "number" }, percent(share));
  [...cells].forEach((cell, place) => {
    const [x, y] = [place % columns, Math.floor(place / columns)];
    if (before && before[place] !== cell) picture.append(s("rect", { x, y, width: 1, height: 1, class: "latest" }));
    if (cell === "X") picture.append(s("path", { d: `M${x + 0.24} ${y + 0.24}l.52 .52m0 -.52l-.52 .52`, class: "cross" }));
    if (cell === "O") picture.append(s("circle", { cx: x + 0.5, cy: y + 0.5, r: 0.27, class: "ring" }));
    const share = shares?.[actions[place]];
    if (cell === "." && share && !several) picture.append(shade(x, y, share), text(x + 0.5, y + 0.6, share, 0.3));
  });
  if (above) for (const [action, share] of Object.entries(shares)) if (share) picture.append(text(actions.indexOf(Number(action)) + 0.5, -0.14, share, 0.42));
  for (let x = 0; x <= columns; x++) picture.append(s("path", { d: `M${x} 0v${rows}`, class: "line" }));
  for (let y = 0; y <= rows; y++) picture.append(s("path", { d: `M0 ${y}h${columns}`, class: "line" }));
  return picture;
}

/** x and depth of each node of the whole tree, so that nothing moves while it grows: leaves stand side by side. */
function placesOf(recording) {
  const below = recording.nodes.map(() => []);
  recording.nodes.forEach(({ parent }, node) => parent !== null && below[parent].push(node));
  const places = [];
  let leaves = 0;
  const put = (node, depth) => {
    const children = below[node].sort((a, b) => recording.nodes[a].action - recording.nodes[b].action);
    children.forEach((child) => put(child, depth + 1));
    const x = children.length ? (places[children[0]].x + places[children.at(-1)].x) / 2 : leaves++;
    places[node] = { x, depth };
  };
  // one root, but in a search that is wrong
  recording.nodes.forEach(({ parent }, node) => parent === null && put(node, 0));
  return { places, leaves, depths: Math.max(...places.map(({ depth }) => depth)) + 1 };
}

// --- the widget ------------------------------------------------------------------------------------------------------

export default {
  render({ model, el }) {
    const scope = model.get("sides") ? new Compared(model, el) : new Microscope(model, el);
    return () => scope.remove();
  },
};

class Microscope {
  constructor(model, el) {
    this.model = model;
    this.at = 0; // which moment
    this.pinned = null; // the node that was clicked; null: the one where something happens
    this.lit = null; // the term of the formula that is pointed at
    this.build(el);
    this.changed = () => this.show();
    for (const event of HEARD) model.on(event, this.changed);
    this.stop = whenKernelIsLost(model, () => this.loseKernel());
    this.observer = new ResizeObserver(() => this.recording && this.drawTree());
    this.observer.observe(this.treeBox);
    this.show();
  }

  remove() {
    this.pause();
    this.stop();
    this.observer.disconnect();
    for (const event of HEARD) this.model.off(event, this.changed);
  }

  build(el) {
    const button = (name, label, onclick) => h("button", { type: "button", "aria-label": name, title: name, onclick }, label);
    this.search = h("select", { "aria-label": "search", onchange: () => this.want({ search: this.search.value }) });
    for (const [name, label] of Object.entries(SEARCHES)) this.search.append(h("option", { value: name }, label));
    this.agent = h("select", { "aria-label": "agent", onchange: () => this.want({ agent: this.agent.value }) });
    this.noise = h("input", { type: "checkbox", onchange: () => this.want({ noise: this.noise.checked }) });
    this.simulations = h("select", { "aria-label": "simulations", onchange: () => this.want({ simulations: Number(this.simulations.value) }) });
    this.playing = button("Play", "▶ Play", () => (this.timer ? this.pause() : this.play()));
    this.speed = h("select", { "aria-label": "speed", onchange: () => this.timer && this.play() });
    for (const name of Object.keys(SPEEDS)) this.speed.append(h("option", { selected: name === "normal" }, name));
    this.slider = h("input", { type: "range", min: 0, "aria-label": "moment of the search", oninput: () => this.go(Number(this.slider.value)) });
    this.where = h("span", { class: "where" });
    this.phases = PHASES.map((name) => h("li", {}, name));
    this.said = h("p", { class: "said", role: "status" });
    this.treeBox = h("div", { class: "tree" });
    this.walk = h("ol", { class: "walk", "aria-label": "the walk of this simulation" });
    this.panel = h("section", { class: "panel", "aria-label": "the node in focus" });
    this.root = h(
      "div", { class: "course-ui microscope", role: "group", "aria-label": "search microscope", tabindex: -1, onkeydown: (event) => this.key(event) },
      h("div", { class: "bar" },
        h("label", {}, "Search ", this.search), this.agentLabel = h("label", {}, "Agent ", this.agent),
        h("label", {}, "Simulations ", this.simulations), h("label", {}, this.noise, " root noise"),
        this.back = h("button", { type: "button", onclick: () => (this.slider.focus(), this.want({ position: this.first.position })) }, "Back to the first position")),
      h("div", { class: "bar" },
        h("span", { class: "buttons" },
          button("To the start", "|◀", () => this.go(0)), button("One simulation back", "◀◀", () => this.jump(-1)),
          button("One step back", "◀", () => this.go(this.at - 1)), this.playing, button("One step on", "▶", () => this.go(this.at + 1)),
          button("One simulation on", "▶▶", () => this.jump(1)), button("To the end", "▶|", () => this.go(Infinity))),
        h("label", {}, "Speed ", this.speed), this.where),
      this.slider,
      h("div", { class: "narration" }, h("ol", { class: "phases", "aria-hidden": "true" }, ...this.phases), this.said),
      h("div", { class: "views" }, h("div", { class: "left" }, this.walk, this.treeBox), this.panel),
    );
    keepKeys(this.root);
    el.append(this.root);
  }

  // --- which recording

  /** Another search, or another position: shown if it is recorded, else the kernel is asked. */
  want(changes) {
    this.pause();
    const choice = { ...this.model.get("choice"), ...changes };
    if (!this.offers(changes)) {
      this.show(); // the controls go back
      this.said.textContent = this.lost ? LOST : ALONE;
      return;
    }
    this.model.set("choice", choice);
    this.model.set("said", ""); // of the search before
    this.model.save_changes();
    this.show();
  }

  /** Whether another search can be had: without a kernel, only what is recorded. */
  offers(changes) {
    const choice = { ...this.model.get("choice"), ...changes };
    if (this.model.offers) return this.model.offers(choice); // a page with an engine
    return Boolean(this.model.widget_manager && !this.lost) || this.model.get("recordings").some((kept) => sameChoice(kept.choice, choice));
  }

  show() {
    const { model } = this;
    const choice = model.get("choice");
    this.first ??= choice;
    const same = ({ choice: other }) => sameChoice(choice, other);
    const found = model.get("recordings").find(same);
    const names = model.get("agents");
    fill(this.agent, names, choice.agent);
    const counts = [...new Set([10, 25, 50, 100, 200, 400, choice.simulations])].sort((a, b) => a - b);
    fill(this.simulations, counts.filter((simulations) => this.offers({ simulations })), choice.simulations);
    for (const option of this.search.options) option.disabled = !this.offers({ search: option.value });
    this.agentLabel.hidden = names.length < 2;
    this.search.value = choice.search;
    this.agent.disabled = choice.search === "uct"; // which asks no network
    this.noise.checked = choice.noise && choice.search !== "uct";
    this.noise.disabled = choice.search === "uct" || !this.offers({ noise: !choice.noise });
    this.back.hidden = String(choice.position) === String(this.first.position);
    if (!found) {
      const message = model.get("said") || "Searching …";
      if (this.recording) this.said.textContent = message;
      return;
    }
    if (model.get("said")) this.said.textContent = model.get("said");
    if (this.recording === found.recording) return;
    const simulation = this.recording ? this.moments[this.at].simulation : 0;
    this.recording = found.recording;
    this.shown = found.choice;
    this.moments = momentsOf(this.recording);
    this.tidy = placesOf(this.recording);
    this.pinned = null;
    this.slider.max = this.moments.length - 1;
    this.drawFormula();
    const start = this.moments.findIndex((moment) => moment.simulation === simulation);
    this.go(Math.max(start, 0));
  }

  loseKernel() {
    this.lost = true;
    const { model } = this;
    const known = model.get("recordings").find(({ recording }) => recording === this.recording);
    if (known) model.set("choice", known.choice); // what was asked for last may never come
    this.show();
    this.said.textContent = LOST;
  }

  // --- which moment

  go(to) {
    this.at = Math.min(Math.max(to, 0), this.moments.length - 1);
    if (this.at === this.moments.length - 1) this.pause();
    this.draw();
  }

  /** Keys go through the search wherever the focus is, but for a list, which has them for itself. */
  key(event) {
    if (event.target.matches("select") || event.ctrlKey || event.metaKey || event.altKey) return;
    const to = { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, Home: 0, End: Infinity }[event.key];
    const by = { PageUp: 1, PageDown: -1 }[event.key];
    if (to === undefined && !by) return;
    event.preventDefault();
    if (by) this.jump(by);
    else this.go(to);
  }

  /** To the end of this simulation, or of the one before. */
  jump(by) {
    const ends = this.moments.map((_, number) => number).filter((number) => this.moments[number + 1]?.simulation !== this.moments[number].simulation);
    const past = ends.filter((end) => (by > 0 ? end > this.at : end < this.at));
    if (past.length) this.go(by > 0 ? past[0] : past.at(-1));
  }

  play() {
    this.pause();
    if (this.at === this.moments.length - 1) this.go(0);
    this.timer = setInterval(() => (this.root.isConnected ? this.go(this.at + 1) : this.pause()), SPEEDS[this.speed.value]);
    this.playing.replaceChildren("❚❚ Pause");
    this.playing.setAttribute("aria-label", "Pause");
  }

  pause() {
    clearInterval(this.timer);
    this.timer = null;
    this.playing.replaceChildren("▶ Play");
    this.playing.setAttribute("aria-label", "Play");
  }

  // --- drawing

  draw() {
    const { recording } = this;
    this.moment = this.moments[this.at];
    const { simulation, phase, depth } = this.moment;
    this.tree = treeAt(recording, this.moment);
    this.now = recording.simulations[simulation];
    this.path = this.now ? pathTo(recording, this.now.leaf) : [0];
    if (!this.tree.has(this.pinned)) this.pinned = null;
    this.focus = this.pinned ?? this.path[depth];
    const inside = this.moments.filter((moment) => moment.simulation === simulation);
    const step = inside.indexOf(this.moment) + 1;
    const total = recording.simulations.length;
    this.where.textContent = this.now ? `simulation ${simulation + 1} of ${total}, step ${step} of ${inside.length}` : `before the first of ${counted(total, "simulation")}`;
    this.slider.value = this.at;
    this.slider.setAttribute("aria-valuetext", `${this.where.textContent}: ${phase}`);
    this.phases.forEach((item) => item.toggleAttribute("data-on", item.textContent === phase));
    Object.assign(this.root.dataset, { simulation: simulation + 1, phase, depth, node: this.focus });
    this.drawPanel();
    this.drawWalk();
    this.drawTree();
    this.said.textContent = [this.at === 0 ? recording.remark : "", this.sentence()].join(" ").trim();
    this.light(this.lit);
  }

  name(action) {
    return this.recording.names[action];
  }

  /** The action that is taken at the node in focus, in this simulation: undefined where the walk has not come yet. */
  taken(node) {
    const at = this.path.indexOf(node);
    if (!this.now || at < 0 || at === this.path.length - 1) return undefined;
    return this.moment.phase === "select" && at > this.moment.depth ? undefined : this.recording.nodes[this.path[at + 1]].action;
  }

  /** The scores that decided stand in the tree as it was before this simulation went up. */
  before(node) {
    return edgesOf(this.recording, treeAt(this.recording, { ...this.moment, phase: "evaluate" }), node);
  }

  sentence() {
    const { recording, now, path, tree } = this;
    const { phase, depth } = this.moment;
    const node = recording.nodes[path[depth]];
    const player = SIDE[node.to_play];
    if (phase === "start") {
      if (recording.search === "uct") return `The root: ${player} to move. Nothing is known yet.`;
      const noise = recording.unperturbed ? " Noise was mixed into them." : "";
      return `The root: ${player} to move. The network has been asked once, which gave the priors P.${noise} No simulation has been made.`;
    }
    if (phase === "select") {
      const action = recording.nodes[path[depth + 1]].action;
      const { chosen, second, won } = decision(this.before(path[depth]), action);
      if (chosen?.score === null) return `Some moves here were never tried, and UCT tries each of them once: ${this.name(action)} is drawn at random.`;
      if (!second) return `${player} takes ${this.name(action)}.`;
      if (chosen.score === second.score) return `${player} takes ${this.name(action)}. Its Q + U, ${fixed(chosen.score)}, is the same as that of ${this.name(second.action)}.`;
      const ahead = `${fixed(chosen.score)} against ${fixed(second.score)} of ${this.name(second.action)}`;
      const [more, less] = won === "Q" ? ["Q", "U"] : ["U", "Q"];
      const why = `${more} puts it ahead by ${fixed(chosen[more] - second[more])}`;
      const gap = chosen[less] - second[less];
      const but = Math.abs(gap) < 0.0005 ? "" : gap < 0 ? `, though ${less} is lower by ${fixed(-gap)}` : `, and ${less} by ${fixed(gap)}`;
      return `${player} takes ${this.name(action)}, the highest Q + U: ${ahead}. ${why}${but}.`;
    }
    if (phase === "expand") {
      if (!now.new) return `The walk has come to a finished game (${ended(node.over)}): there is nothing to expand.`;
      if (node.parent === null) return "A new node, which hangs below no other.";
      return `A new node, after ${this.name(node.action)}${node.over === null ? `: ${player} to move` : `: the game is over there, ${ended(node.over)}`}.`;
    }
    if (phase === "evaluate") {
      const value = worth(now.value, node.to_play);
      if (now.source === "rules") return `The rules say what the finished game is worth: ${value}, who would be to move.`;
      if (now.source === "rollout") return `A random game from here on ends with ${value}, who is to move here.`;
      return `The network says what the position is worth: ${value}, who is to move here. It also gives the priors P of the moves from here.`;
    }
    const action = recording.nodes[path[depth + 1]].action;
    const change = now.up.find(([number, changed]) => number === path[depth] && changed === action);
    if (!change) return `Nothing is written at ${this.name(action)}.`;
    const below = this.valueAt(depth + 1);
    const turned = Math.abs(below + change[3]) < 1e-6;
    const { N, W } = tree.get(path[depth]);
    const news = `N of ${this.name(action)} is now ${N[action]}, W is ${fixed(W[action], 2)}.`;
    const sign = turned ? `One step up the sign flips: ${worth(below, -node.to_play)} is ${worth(change[3], node.to_play)}.` : `W changes by ${worth(change[3], node.to_play)}: the sign did not flip!`;
    return `${sign} ${news}`;
  }

  /** What came up to this depth of the path, for the player to move there. */
  valueAt(depth) {
    if (depth === this.path.length - 1) return this.now.value;
    const action = this.recording.nodes[this.path[depth + 1]].action;
    return this.now.up.find(([number, changed]) => number === this.path[depth] && changed === action)?.[3] ?? 0;
  }

  // --- the walk: the boards on the way, and what each step was decided by

  drawWalk() {
    const { recording, path, now } = this;
    const { phase, depth } = this.moment;
    const seen = phase === "select" ? depth + 1 : path.length;
    const items = [];
    path.slice(0, seen).forEach((number, at) => {
      const node = recording.nodes[number];
      const parent = node.parent === null ? null : recording.nodes[node.parent];
      const title = node.over === null ? `${SIDE[node.to_play]} to move` : ended(node.over);
      const picture = position(recording, node.cells, { width: recording.columns > 4 ? 112 : 78, before: parent?.cells });
      const valued = now && (phase === "evaluate" ? at === path.length - 1 : phase === "backup" && at >= depth);
      const value = valued ? h("b", { class: `value p${node.to_play}` }, worth(this.valueAt(at), node.to_play)) : h("b", { class: "value" }, " ");
      const board = h("button", {
        type: "button", class: "stop", "aria-current": number === this.focus ? "true" : null, onclick: () => this.pin(number),
        "aria-label": `${at ? `after ${this.name(node.action)}` : "root"}: ${title}`,
      }, picture, h("span", { class: `p${node.over ?? node.to_play}` }, title), value);
      items.push(h("li", { class: at === path.length - 1 && now?.new && phase === "expand" ? "new" : "" }, board));
      const action = now ? this.taken(number) : undefined;
      if (action !== undefined) items.push(this.arrow(number, action, at));
    });
    refill(this.walk, items);
    const here = this.walk.querySelector(".down, .up") ?? this.walk.querySelector("[aria-current]");
    if (here) this.walk.scrollLeft = here.offsetLeft + here.offsetWidth / 2 - this.walk.clientWidth / 2;
  }

  arrow(number, action, at) {
    const { phase, depth } = this.moment;
    const { chosen } = decision(this.before(number), action);
    const down = phase === "select" && at === depth;
    const up = phase === "backup" && at === depth;
    const term = (name, text) => h("span", { "data-term": name }, text);
    const why = chosen.score === null
      ? [h("span", {}, "untried")]
      : [term("Q", `Q ${fixed(chosen.Q)}`), term("U", `+ U ${fixed(chosen.U)}`), term("score", `= ${fixed(chosen.score)}`)];
    return h("li", { class: `arrow ${down ? "down" : ""} ${up ? "up" : ""}`, "data-node": number }, h("b", {}, this.name(action)),
      h("span", { class: "shaft", "aria-hidden": "true" }, up ? "⟵" : "⟶"), ...why);
  }

  pin(node) {
    this.pause();
    this.pinned = this.pinned === node ? null : node;
    this.draw();
  }

  // --- the node in focus: its board, the formula, its edges

  drawFormula() {
    const term = (name, ...content) => h("span", { class: "term", tabindex: 0, "data-term": name, "aria-label": TERMS[name] }, ...content);
    const over = (top, bottom) => h("span", { class: "fraction" }, h("span", {}, ...top), h("span", {}, ...bottom));
    const root = (...content) => h("span", { class: "root" }, "√", h("span", {}, ...content));
    const i = (name, sub) => h("i", {}, name, sub ? h("sub", {}, sub) : null);
    const uct = this.recording.search === "uct";
    const U = uct
      ? [term("c", i("c")), " ", root(over(["ln ", term("S", i("N", "parent"))], [term("N", i("N"))]))]
      : [term("c", i("c", "puct")), " ", term("P", i("P")), " ", over([root("1 + ", term("S", "Σ", i("N")))], ["1 + ", term("N", i("N"))])];
    this.formula = h("p", { class: "formula" }, term("score", "score"), " = ", term("Q", i("Q")), " + ", h("span", { class: "group", "data-term": "U" }, ...U));
    this.numbers = h("p", { class: "formula numbers" });
    this.means = h("p", { class: "means" });
    for (const term of this.formula.querySelectorAll(".term")) {
      const { term: lit } = term.dataset;
      for (const [event, name] of [["mouseenter", lit], ["mouseleave", null], ["focus", lit], ["blur", null]]) {
        term.addEventListener(event, () => this.light(name));
      }
    }
  }

  /** Light up a term of the formula: its column, and the edge whose number it is. */
  light(name) {
    this.lit = name;
    for (const element of this.root.querySelectorAll("[data-term]")) element.classList.toggle("lit", element.dataset.term === name);
    this.root.classList.toggle("pointing", Boolean(name));
    for (const edge of this.root.querySelectorAll(".edge")) edge.classList.toggle("lit", Boolean(name) && edge.classList.contains("asked"));
    for (const arrow of this.root.querySelectorAll(".arrow")) arrow.classList.toggle("lit", Boolean(name) && Number(arrow.dataset.node) === this.focus);
    const value = name && this.asked ? this.inNumbers(name) : "";
    this.means.textContent = name ? `${TERMS[name]}${value ? ` ${this.name(this.asked.action)}: ${value}.` : ""}` : "Point at a term of the formula.";
  }

  inNumbers(name) {
    const { asked, recording } = this;
    const digits = { N: 0, S: 0, c: 2 }[name] ?? 3;
    const value = name === "c" ? recording.c : asked[name];
    return value === null ? "–" : fixed(value, digits);
  }

  drawPanel() {
    const { recording, focus, tree, moment } = this;
    const node = recording.nodes[focus];
    const player = SIDE[node.to_play];
    const fresh = focus === this.now?.leaf && this.now.new && moment.phase === "expand"; // not evaluated yet
    const taken = this.taken(focus);
    const deciding = moment.phase === "select" || (taken !== undefined && moment.phase !== "backup");
    const edges = deciding ? this.before(focus) : edgesOf(recording, tree, focus);
    const visits = edges.reduce((sum, edge) => sum + edge.N, 0);
    const best = edges.filter((edge) => edge.score !== null).reduce((most, edge) => (most && most.score >= edge.score ? most : edge), null);
    const untried = edges.some((edge) => edge.score === null);
    const { won } = taken === undefined || !deciding ? {} : decision(edges, taken);
    this.asked = edges.find((edge) => edge.action === taken) ?? (untried || fresh ? null : best);
    const shares = visits ? Object.fromEntries(edges.map((edge) => [edge.action, edge.N / visits])) : null;
    const parent = node.parent === null ? null : recording.nodes[node.parent];
    const way = pathTo(recording, focus).slice(1).map((number) => this.name(recording.nodes[number].action));
    const title = node.over === null ? `${player} to move` : ended(node.over);
    const head = h("div", { class: "head" },
      position(recording, node.cells, { width: recording.columns > 4 ? 190 : 124, before: parent?.cells, shares, title: `${title}: ${node.cells}` }),
      h("div", {},
        h("h4", {}, h("span", { class: `p${node.over ?? node.to_play}` }, title)),
        h("p", {}, way.length ? `after ${way.join(", ")}` : focus ? "below no other node" : "the root"),
        h("p", {}, visits ? `value ${worth(edges.reduce((sum, edge) => sum + edge.W, 0) / visits, node.to_play)}: the mean of ${counted(visits, "simulation")}` : "no simulation has gone on from here"),
        h("p", { class: "buttons" },
          this.pinned === null ? null : h("button", { type: "button", onclick: () => this.pin(this.pinned) }, "Follow the search"),
          way.length && node.over === null && this.offers({ position: this.positionOf(focus) }) ? h("button", { type: "button", onclick: () => this.searchFrom(focus) }, "Search from here") : null)));
    if (node.over !== null) return refill(this.panel, [head], this.slider);
    refill(this.panel, [head, this.formula, this.numbers, this.means, this.table(edges, { fresh, taken, won, best, untried })]);
    this.writeNumbers();
  }

  /** The formula once more, with the numbers of the edge that is asked about. */
  writeNumbers() {
    const { asked, recording } = this;
    if (!asked || asked.score === null || asked.U === null || (recording.search !== "uct" && asked.P === null)) return this.numbers.replaceChildren(" ");
    const term = (name) => h("span", { "data-term": name }, this.inNumbers(name));
    const U = recording.search === "uct"
      ? [term("c"), " · √(ln ", term("S"), " / ", term("N"), ")"]
      : [term("c"), " · ", term("P"), " · √(1 + ", term("S"), ") / (1 + ", term("N"), ")"];
    this.numbers.replaceChildren(h("b", {}, this.name(asked.action), ": "), term("score"), " = ", term("Q"), " + ", h("span", { "data-term": "U" }, ...U));
  }

  table(edges, { fresh, taken, won, best, untried }) {
    const { recording, moment, focus } = this;
    const uct = recording.search === "uct";
    const columns = uct ? ["N", "W", "Q", "U", "score"] : ["P", "N", "W", "Q", "U", "score"];
    const heads = { score: [h("span", { class: "q" }, "Q"), " + ", h("span", { class: "u" }, "U")] };
    const noise = focus === 0 && recording.unperturbed;
    const changed = moment.phase === "backup" && this.pinned === null ? taken : undefined;
    const ends = edges.flatMap((edge) => [edge.Q, edge.score ?? 0]);
    const span = [Math.min(0, ...ends), Math.max(1e-9, ...ends)];
    const cell = (edge, column, place) => {
      let text = { N: () => fixed(edge.N, 0), W: () => fixed(edge.W, 2), P: () => fixed(edge.P, 3) }[column]?.() ?? (edge[column] === null ? "–" : fixed(edge[column]));
      if (column === "Q" && !edge.N) text = "0";
      if (fresh && "P U score".includes(column)) text = "–";
      if (column === "score" && edge.score === null) text = "first";
      const was = column === "P" && noise ? h("small", {}, ` was ${fixed(recording.unperturbed[place], 3)}`) : null;
      const classes = [column === won && edge.action === taken ? "won" : "", (column === "N" || column === "W") && edge.action === changed ? "changed" : ""];
      return h("td", { "data-term": column, class: classes.join(" ").trim() || null }, text, was, column === "score" && !fresh ? this.bar(edge, span) : null);
    };
    const unit = this.name(0).replace(/ ?\d+$/, "");
    const short = (edge) => shortName(this.name(edge.action));
    const rows = edges.map((edge, place) => {
      const child = recording.nodes.findIndex((node) => node.parent === focus && node.action === edge.action);
      const go = child > 0 && this.tree.has(child) ? h("button", { type: "button", class: "move", onclick: () => this.pin(child), title: "look at this node", "aria-label": this.name(edge.action) }, short(edge)) : short(edge);
      const chosen = taken === undefined ? !untried && !fresh && edge === best : edge.action === taken;
      const mark = chosen ? h("span", { class: "mark" }, "▸", h("span", { class: "unseen" }, taken === undefined ? "highest: " : "taken: ")) : null;
      return h("tr", { class: chosen ? (taken === undefined ? "next" : "taken") : null, "data-action": edge.action }, h("th", { scope: "row" }, mark, go), ...columns.map((column) => cell(edge, column, place)));
    });
    const head = h("tr", {}, h("th", { scope: "col" }, unit || "move"), ...columns.map((column) => h("th", { scope: "col", "data-term": column }, ...(heads[column] ?? [column]))));
    return h("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "edges" }, h("table", { "aria-label": "edges of the node in focus" }, h("thead", {}, head), h("tbody", {}, ...rows)));
  }

  /** Q, from 0, and below it U, from where Q ends to the score: what is farthest right is taken. */
  bar(edge, [low, high]) {
    if (edge.score === null) return null;
    const x = (value) => (46 * (value - low)) / (high - low);
    const part = (from, to, y, name) => s("rect", { x: x(Math.min(from, to)), y, width: Math.max(x(Math.max(from, to)) - x(Math.min(from, to)), 0.5), height: 6, class: name });
    return s("svg", { class: "part", width: 46, height: 14, viewBox: "0 0 46 14", "aria-hidden": "true" },
      part(0, edge.Q, 1, "q"), part(edge.Q, edge.score, 7, "u"), s("path", { d: `M${x(0)} 0v14`, class: "zero" }));
  }

  searchFrom(node) {
    this.want({ position: this.positionOf(node) });
  }

  positionOf(node) {
    const moves = pathTo(this.recording, node).slice(1).map((number) => this.recording.nodes[number].action);
    return [...this.shown.position, ...moves]; // of what is shown: what was asked for may still be on its way
  }

  // --- the tree: every node a dot

  drawTree() {
    const { recording, tree, path, tidy, moment } = this;
    const width = Math.max(this.treeBox.clientWidth, 260);
    const [left, top, height] = [18, 34, 256]; // always as high: nothing below moves
    const row = Math.min(54, (height - top - 16) / Math.max(tidy.depths - 1, 1));
    const across = Math.min(44, (width - 2 * left) / Math.max(tidy.leaves - 1, 1));
    const radius = Math.max(2, Math.min(7, 0.42 * across, 0.42 * row));
    const margin = (width - across * (tidy.leaves - 1)) / 2;
    const at = (node) => [margin + across * tidy.places[node].x, top + row * tidy.places[node].depth];
    const total = Math.max(moment.simulation, 1);
    const seen = moment.phase === "select" ? path.slice(0, moment.depth + 1) : path;
    const picture = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, role: "img", "aria-label": `the tree: ${tree.size} nodes` });
    const [dots, labels] = [[], []];
    for (const [number] of tree) {
      const node = recording.nodes[number];
      const [x, y] = at(number);
      const on = seen.includes(number) && this.now;
      if (node.parent !== null) {
        const [px, py] = at(node.parent);
        const N = tree.get(node.parent).N[node.action] ?? 0;
        const asked = node.parent === this.focus && node.action === this.asked?.action;
        const middle = (y + py) / 2;
        picture.append(s("path", {
          d: `M${px} ${py}C${px} ${middle} ${x} ${middle} ${x} ${y}`, class: `edge${on ? " on" : ""}${asked ? " asked" : ""}`, "stroke-width": 1 + (9 * N) / total,
        }));
        if (node.parent === 0) labels.push([x, y - radius - 6, N, shortName(this.name(node.action))]);
      }
      const kind = `dot p${node.over ?? node.to_play}${node.over === null ? "" : " over"}${on ? " on" : ""}${number === this.focus ? " focus" : ""}`;
      const events = { class: kind, "data-node": number, onclick: () => this.pin(number) };
      const r = number === this.focus ? radius + 2 : radius;
      dots.push(node.over === null ? s("circle", { cx: x, cy: y, r, ...events }) : s("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r, ...events }));
      dots.at(-1).append(s("title", {}, `${node.action === null ? "root" : `after ${this.name(node.action)}`}: ${node.over === null ? `${SIDE[node.to_play]} to move` : ended(node.over)}`));
    }
    const [x, y] = at(0);
    const apart = labels.filter(([x, , N]) => !labels.some(([other, , more]) => other !== x && Math.abs(other - x) < 12 && (more > N || (more === N && other < x))));
    dots.push(...apart.map(([x, y, , name]) => s("text", { x, y, class: "label" }, name)));
    picture.append(...dots, s("text", { x, y: y - radius - 8, class: "label" }, `${SIDE[recording.nodes[0].to_play]} to move`));
    const legend = h("p", { class: "legend" }, h("b", { class: "p1" }, "● X to move"), " ", h("b", { class: "p-1" }, "● O to move"),
      " ■ the game is over. The more visits an edge has, the thicker it is. Click a node.");
    this.treeBox.replaceChildren(picture, legend);
  }
}

const ALONE = "This page has only the searches that were recorded for it.";
const LOST = "The kernel has stopped: what is recorded can still be looked at. Run the cell again for other searches.";

function sameChoice(one, other) {
  const noise = ({ search, noise }) => search !== "uct" && noise;
  const agent = ({ search, agent }) => (search === "uct" ? "" : agent);
  return one.search === other.search && noise(one) === noise(other) && agent(one) === agent(other) &&
    one.simulations === other.simulations && String(one.position) === String(other.position);
}

function fill(select, values, value) {
  if (select.children.length !== values.length) select.replaceChildren(...values.map((value) => h("option", {}, String(value))));
  select.value = String(value);
}
