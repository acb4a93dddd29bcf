// The front page of the web site: a network that learns tic-tac-toe from nothing in a worker, with a board to try it on
// at any moment; and Connect Four, whose search is seen to grow.

const LEARNER = "the network";
const SLIDERS = [ // of the settings of a run: name, words, least, most, step
  ["games", "games before each lesson", 20, 240, 20],
  ["simulations", "simulations for each move", 5, 60, 5],
  ["noise_fraction", "noise at the root", 0, 1, 0.05],
  ["learning_rate", "learning rate", 0.001, 0.021, 0.002],
];
const MOST = 40; // iterations

// --- what learns: this function is the worker's whole program --------------------------------------------------------

function learnOnDemand() {
  const engine = makeEngine();
  let run = null;
  const tell = (seconds) => {
    const { net, game, history } = run;
    const losing = engine.count_lines(game, (state) => engine.network_move(game, net, state));
    postMessage({ iteration: history.length, losing, games: history.length && run.played, seconds, layers: net.layers });
  };
  onmessage = ({ data: { game, seed, config } }) => {
    const began = performance.now();
    if (game) {
      const rng = new engine.Generator(seed);
      const line_game = new engine.LineGame(game);
      run = new engine.Run(line_game, engine.make_network(line_game, rng), rng, config);
      run.played = 0;
    } else {
      Object.assign(run.config, config);
      const { length } = run.history;
      run.iteration((played) => played % 10 === 0 && postMessage({ iteration: length + 1, playing: run.played + played }));
      run.played += run.config.games;
    }
    tell((performance.now() - began) / 1000);
  };
}

// --- the network that learns -----------------------------------------------------------------------------------------

class Learner {
  constructor(data, el) {
    this.game = data.game;
    this.oracle = new EngineOracle(data);
    this.oracle.renew(LEARNER, new engine.UniformNetwork(this.oracle.game)); // until the worker has drawn weights
    this.session = new Session(data, this.oracle);
    this.config = { ...engine.TRAINING };
    this.seed = 0;
    el.append(this.build());
    board.render({ model: this.session, el: this.place });
    const program = `${makeEngine}\n(${learnOnDemand})();`;
    this.worker = new Worker(URL.createObjectURL(new Blob([program], { type: "text/javascript" })));
    this.worker.onmessage = ({ data: said }) => (said.playing ? this.played(said) : this.learned(said));
    this.begin();
  }

  build() {
    this.place = h("div", { class: "place" }, h("p", { class: "caption" }, "On the squares: where it would play."));
    this.button = h("button", { type: "button", class: "main", onclick: () => (this.running ? this.pause() : this.run()) }, "Let it learn");
    this.step = h("button", { type: "button", onclick: () => this.next() }, "One lesson");
    this.again = h("button", { type: "button", title: "new random weights", onclick: () => this.begin() }, "Forget");
    this.count = h("strong", {}, "…");
    this.sides = h("span", {});
    this.status = h("p", { role: "status" });
    this.curve = h("div", {});
    const sliders = SLIDERS.map(([name, words, min, max, step]) => this.slider(name, words, { min, max, step }));
    const about = "Lines of play in which somebody wins against the network, counted over all replies.";
    this.controls = h("div", { class: "controls" }, h("div", { class: "row" }, this.button, this.step, this.again), h("p", { class: "count", title: about }, this.count, " ways to beat it", this.sides));
    const lesson = h("div", { class: "lesson" }, this.curve, this.status, h("details", {}, h("summary", {}, "Settings"), ...sliders));
    return h("div", { class: "course-ui learner" }, this.controls, this.place, lesson);
  }

  slider(name, words, limits) {
    const shown = h("output", {}, String(this.config[name]));
    const input = h("input", { type: "range", ...limits, value: this.config[name] });
    input.addEventListener("input", () => {
      this.config[name] = Number(input.value);
      shown.textContent = input.value;
    });
    return h("label", {}, h("span", {}, words), input, shown);
  }

  /** New random weights. */
  begin() {
    this.running = this.waits = false;
    [this.history, this.seconds, this.began] = [[], 0, false];
    this.worker.postMessage({ game: this.game, seed: this.seed++, config: this.config });
    this.show("");
  }

  run() {
    this.running = true;
    this.show("It plays against itself and learns from its games.");
    this.next();
  }

  pause(words = "Paused.") {
    this.running = false;
    this.show(words);
  }

  next() {
    if (this.waits) return;
    this.waits = true;
    this.worker.postMessage({ config: this.config });
  }

  /** The worker has played some games of an iteration. */
  played({ iteration, playing }) {
    if (iteration === this.history.length) this.sides.textContent = ` · it plays game ${playing.toLocaleString("en")}`;
  }

  /** The worker has finished an iteration, or drawn weights. */
  learned({ iteration, losing, games, seconds, layers }) {
    if (iteration !== this.history.length) return; // of a network that is forgotten
    this.waits = false;
    this.history.push(losing);
    this.seconds += iteration ? seconds : 0;
    this.games = games;
    this.oracle.renew(LEARNER, new engine.PolicyValueNet({ game: this.oracle.game, layers }));
    this.session.askAgain();
    if (this.running && losing[0] + losing[1] === 0) this.pause(`Nobody can beat it any more: all replies were tried. It took ${games.toLocaleString("en")} games and ${this.seconds.toFixed(0)} seconds.`);
    else if (this.running && iteration >= MOST) this.pause("It does not get better any more: let it forget, and try other settings.");
    else if (this.running) this.next();
    this.draw();
  }

  show(words) {
    this.status.textContent = words;
    this.button.textContent = this.running ? "Pause" : this.history.length > 1 ? "Learn on" : "Let it learn";
    this.step.disabled = this.running;
    this.again.disabled = this.history.length < 2;
  }

  draw() {
    const [first, second] = this.history.at(-1);
    this.again.disabled = this.history.length < 2;
    this.count.textContent = String(first + second);
    this.count.toggleAttribute("data-none", first + second === 0);
    this.sides.textContent = ` · ${this.history.length > 1 ? `after ${this.games.toLocaleString("en")} games, ${this.seconds.toFixed(1)} s` : "random weights"}`;
    const [width, height, left, below] = [360, 150, 34, 20];
    const most = Math.max(12, this.history.length - 1);
    const x = (iteration) => left + ((width - left - 8) * iteration) / most;
    const y = (count) => 8 + (height - below - 8) * (1 - Math.log1p(count) / Math.log1p(1000));
    const totals = this.history.map(([one, other]) => one + other);
    const grid = [0, 10, 100, 1000].flatMap((count) => [s("path", { class: "grid", d: `M${left} ${y(count)}H${width}` }), s("text", { x: left - 5, y: y(count) + 4, "text-anchor": "end" }, count)]);
    const points = totals.map((count, iteration) => `${x(iteration).toFixed(1)} ${y(count).toFixed(1)}`);
    const words = `ways to beat it, at first and after each iteration: ${totals.join(", ")}`;
    this.curve.replaceChildren(s("svg", { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": words }, ...grid,
      s("text", { x: width, y: height - 4, "text-anchor": "end" }, "iterations of self-play and learning →"),
      s("path", { class: "course", d: `M${points.join("L")}` }),
      s("circle", { cx: x(totals.length - 1), cy: y(totals.at(-1)), r: 4 })));
  }
}

// --- a search that grows ---------------------------------------------------------------------------------------------

/**
 * A tree as bars: below each move the replies to it, each as wide as its share of the visits. Redrawn while the search
 * goes on.
 */
class GrowingTree {
  constructor() {
    [this.width, this.row, this.depth] = [360, 24, 9];
    this.words = h("p", {}, "Play, and the search appears here: below each move the replies to it, each as wide as its share of the visits.");
    this.svg = s("svg", { viewBox: `0 0 ${this.width} ${this.row * this.depth}`, role: "img", "aria-label": "The search has not begun." });
    this.root = h("div", { class: "tree" }, this.svg, this.words);
  }

  draw(root, game) {
    const bars = [];
    const visit = (node, left, width, depth) => {
      const total = engine.sum(node.N) + 1;
      for (const action of node.legal) {
        const share = (width * node.N[action]) / total;
        if (share < 1.2 || depth === this.depth) continue;
        bars.push(this.bar(left, share, depth, node, action, game));
        if (node.children.has(action)) visit(node.children.get(action), left, share, depth + 1);
        left += share;
      }
    };
    visit(root, 0, this.width, 0);
    const visits = engine.sum(root.N);
    const best = engine.argmax(root.N);
    this.svg.replaceChildren(...bars);
    this.svg.setAttribute("aria-label", `The latest search: ${visits} simulations, most of them of ${game.action_name(best)}.`);
    this.words.textContent = `${visits.toLocaleString("en")} simulations; ${game.action_name(best)} has ${Math.round((100 * root.N[best]) / visits)}% of them.`;
  }

  bar(left, width, depth, node, action, game) {
    const side = game.to_play(node.state) > 0 ? "x" : "o";
    const place = { x: left + 0.4, y: depth * this.row + 0.4 };
    const name = game.action_name(action).split(" ").at(-1);
    return s("g", {}, s("rect", { ...place, class: side, width: Math.max(width - 0.8, 0.6), height: this.row - 1.4, rx: 2 }),
      width > 13 ? s("text", { x: left + width / 2, y: depth * this.row + this.row / 2 + 4, "text-anchor": "middle" }, name) : null);
  }
}

/** Connect Four against the trained agent; its network is loaded when it is asked for. */
function inviteToConnectFour(data, script, el) {
  const name = Object.keys(data.agents)[0];
  const button = h("button", { type: "button", class: "main", onclick: () => load() }, "Play Connect Four (2 MB)");
  const invitation = h("div", { class: "course-ui invitation" }, button);
  const load = () => {
    button.disabled = true;
    button.textContent = "Loading …";
    document.head.append(h("script", { src: script, onload: come, onerror: failed }));
  };
  const failed = () => {
    button.disabled = false;
    button.textContent = "It could not be loaded: try again";
  };
  const come = () => {
    const [place, tree] = [h("div", { class: "place" }), new GrowingTree()];
    const oracle = new EngineOracle({ ...data, agents: { [name]: window.courseNetwork } });
    // then the tree is drawn once, when it is whole
    const still = matchMedia("(prefers-reduced-motion: reduce)").matches;
    oracle.watch = (root, game, whole) => (whole || !still) && tree.draw(root, game);
    board.render({ model: new Session(data, oracle), el: place });
    invitation.replaceWith(h("div", { class: "course-ui four" }, place, tree.root));
    place.querySelector("[role=gridcell][tabindex='0']")?.focus({ preventScroll: true });
  };
  el.append(invitation);
}
