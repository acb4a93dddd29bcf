// The static page. What the components ask Python for in a notebook, they ask these models for: `StoredBoard` does what board.py and match.py do, for
// tic-tac-toe alone, by stored answers (page.py says what is in them). `board` and `microscope` are the components.

const SIGN = { 1: "X", "-1": "O" };
const LINES = ["012", "036", "048", "147", "258", "246", "345", "678"].map((line) => [...line].map(Number));
const YOU = "you";
const BREATH = 350; // ms until a stored answer is played, so that both moves are seen
const DIGITS = 1000;
const ENDS = { 1: "a win", 0: "a draw", "-1": "a loss" };

// --- the rules: a position is a text, "X.O......" -----------------------------------------------------------------------

const squareOf = (action) => [Math.floor(action / 3), action % 3];
const linesIn = (cells) => LINES.filter(([a, b, c]) => cells[a] !== "." && cells[a] === cells[b] && cells[b] === cells[c]);
const winnerOf = (cells) => ({ X: 1, O: -1 })[cells[linesIn(cells)[0]?.[0]]] ?? 0;
const isOver = (cells) => winnerOf(cells) !== 0 || !cells.includes(".");
const toPlay = (cells) => (cells.replaceAll(".", "").length % 2 ? -1 : 1);
const legalIn = (cells) => (isOver(cells) ? [] : [...cells].flatMap((cell, action) => (cell === "." ? [action] : [])));
const common = (line, other) => [...line, NaN].findIndex((action, ply) => action !== other[ply]); // how many moves they share
const played = (cells, action) => cells.slice(0, action) + SIGN[toPlay(cells)] + cells.slice(action + 1);

// --- the models ---------------------------------------------------------------------------------------------------------

/** What a component sees of Python: traits, and who wants to hear of their changes. */
class Model {
  constructor(traits) {
    this.traits = traits;
    this.listeners = {};
  }

  get(name) {
    return this.traits[name];
  }

  set(name, value) {
    this.traits[name] = value;
    for (const listener of this.listeners[`change:${name}`] ?? []) listener();
  }

  on(event, listener) {
    (this.listeners[event] ??= []).push(listener);
  }

  off(event, listener) {
    this.listeners[event] = (this.listeners[event] ?? []).filter((other) => other !== listener);
  }

  save_changes() {}

  send() {}
}

class StoredBoard extends Model {
  constructor({ view, analyzed, names, positions, answers, perfectly }) {
    super({ view });
    Object.assign(this, { analyzed, names, answers, perfectly });
    this.number = new Map(positions.map((cells, number) => [cells, number]));
    let edges = 0;
    this.firstEdge = positions.map((cells) => (edges += legalIn(cells).length) - legalIn(cells).length);
    this.opponents = view.choices.filter((name) => name !== YOU);
    this.shown = { overlay: view.shows, value: view.shows_value, mistakes: view.shows_mistakes };
    this.players = { ...view.players };
    this.states = [view.positions[0]];
    this.actions = [];
    this.left = []; // lines that were left, the latest first
    this.at = null; // the number of moves after which one looks at the game; null: at its end
    this.results = {}; // of the games that have ended
    this.counted = false;
    this.timer = null; // of the agents' moves still to come
    this.asked = this.running = this.hint = false;
    this.goOn();
  }

  // --- the game

  get cells() {
    return this.states.at(-1);
  }

  /** The position on show. */
  get here() {
    return this.states[this.at ?? this.actions.length];
  }

  /** The name of the agent whose move it is; null if it is a human's or the game is over. */
  get agentToMove() {
    const name = this.players[toPlay(this.cells)];
    return isOver(this.cells) || name === YOU ? null : name;
  }

  get watching() {
    return !Object.values(this.players).includes(YOU);
  }

  /** Whether a human may move in the position on show. */
  get yours() {
    if (this.at === null && (this.timer !== null || isOver(this.cells))) return false;
    return this.players[toPlay(this.here)] === YOU;
  }

  /** Whether it is an agent's turn there, which moves when it is told to. */
  get waits() {
    return this.at === null ? this.agentToMove !== null && this.timer === null : !this.yours;
  }

  /** Who that is, in words. */
  inWords(name) {
    const { simulations } = this.view;
    if (Object.keys(this.answers[name] ?? {}).length < 2) return name;
    return `${name}, ${simulations ? counted(simulations, "simulation") : "without search"}`;
  }

  turn() {
    const winner = winnerOf(this.cells);
    if (winner) return `The game is over: ${SIGN[winner]} wins (${this.inWords(this.players[winner])}).`;
    if (isOver(this.cells)) return "The game is over: draw.";
    return this.toMove(this.cells);
  }

  toMove(cells) {
    return `${SIGN[toPlay(cells)]} (${this.inWords(this.players[toPlay(cells)])}) to move.`;
  }

  move(action) {
    this.states.push(played(this.cells, action));
    this.actions.push(action);
    this.forget();
  }

  /** The game goes on in the position on show, and nobody thinks any more. */
  fromHere() {
    this.stop();
    if (this.at !== null) this.backTo(this.at);
    this.at = null;
  }

  /** Take back all moves after so many. The line that is left can be taken up again. */
  backTo(ply) {
    this.left.unshift([...this.actions]);
    this.takeBack(ply);
    this.forget();
  }

  /** The lines that are part of the game, or of another line, are not left. */
  forget() {
    const begins = (line, other) => String(line.slice(0, other.length)) === String(other);
    this.left = this.left.filter(
      (line, place, lines) =>
        !begins(this.actions, line) && !lines.some((other, at) => begins(other, line) && (other.length !== line.length || at < place)),
    );
  }

  takeUp(line) {
    this.stop();
    this.at = null;
    if (this.left.some((other) => String(other) === String(line))) {
      this.backTo(common(line, this.actions));
      for (const action of line.slice(this.actions.length)) this.move(action);
      this.counted ||= isOver(this.cells);
    }
    this.say(this.turn());
  }

  look(ply) {
    this.at = ply === null || ply >= this.actions.length ? null : Math.max(ply, 0);
    this.aside = "";
    this.hint = false;
    this.tell({ version: this.view.version + 1 });
  }

  /** The game from the start by these actions; said, and left as it was, if one of them is not legal. Whose turn it is waits, and how it ends is not counted. */
  setUp(actions) {
    if (!actions.length) return this.newGame();
    let cells = this.states[0];
    for (const action of actions) {
      const legal = legalIn(cells);
      const those = legal.length ? `[${legal.join(", ")}]` : "none, the game is over";
      if (!legal.includes(action)) return this.refuse(`That is not a position: action ${action} is not legal here; legal: ${those}`);
      cells = played(cells, action);
    }
    this.stop();
    this.begin();
    for (const action of actions) this.move(action);
    this.counted = true;
    this.say(this.turn());
  }

  newGame() {
    this.stop();
    this.begin();
    this.goOn();
  }

  /** Another game. */
  begin() {
    this.takeBack(0);
    this.left = [];
    this.counted = false;
    this.at = null;
  }

  setUpFrom(text) {
    const actions = (text.match(/-?\d+/g) ?? []).map(Number);
    if ((actions.length || text.trim() === "[]") && !/[^\d\s,;[\]()-]/.test(text)) this.setUp(actions);
    else this.refuse(`That is not a position: type the actions from the start, such as ${this.view.example}.`);
  }

  /** Say so; whoever thinks goes on. */
  refuse(why) {
    this.hint = false;
    this.aside = why;
    this.tell();
  }

  undo() {
    const mine = this.actions.flatMap((_, ply) => (this.watching || this.players[toPlay(this.states[ply])] === YOU ? [ply] : []));
    if (!mine.length) return this.refuse(`There is nothing to undo. ${this.turn()}`);
    this.stop();
    this.at = null;
    this.backTo(mine.at(-1));
    this.say(`Undone. ${this.turn()}`);
  }

  takeBack(ply) {
    this.states.length = ply + 1;
    this.actions.length = ply;
  }

  /** The agent to move answers; what it does alone, nobody waits for. */
  goOn() {
    if (this.at === null && this.agentToMove && !this.watching) this.agentsPlay();
    else this.say(this.turn());
  }

  agentsPlay(toTheEnd = false) {
    if (!this.agentToMove) return this.say(isOver(this.cells) ? this.turn() : `It is your move. ${this.turn()}`);
    [this.asked, this.running] = [!toTheEnd, toTheEnd]; // between two moves of a game that runs nobody is asked
    this.timer = setTimeout(() => {
      this.stop(toTheEnd);
      this.move(this.actOf(this.agentToMove));
      if (toTheEnd && this.agentToMove) return this.agentsPlay(true);
      this.running = false;
      this.say(this.turn());
    }, toTheEnd ? 1000 * this.view.speeds[this.view.speed] : BREATH);
    this.say(this.turn());
  }

  stop(running = false) {
    clearTimeout(this.timer);
    [this.timer, this.asked, this.running] = [null, false, running];
  }

  // --- what is stored

  answersOf(name) {
    return this.answers[name][this.view.simulations] ?? this.answers[name][0];
  }

  actOf(name, cells = this.cells) {
    return Number(this.answersOf(name).act[this.number.get(cells)]);
  }

  /** Action -> in how many plies the game is won or lost, 0 for a draw. */
  pliesIn(cells) {
    const plies = this.answers["perfect play"][0].perfect.slice(this.firstEdge[this.number.get(cells)]);
    return Object.fromEntries(legalIn(cells).map((action, place) => [action, plies[place]]));
  }

  /** Action -> what the agent knows of it at a position: nothing of a kind that it does not have. */
  knownOf(name, kind, cells) {
    const numbers = this.answersOf(name)[kind] ?? [];
    const first = this.firstEdge[this.number.get(cells)];
    const known = legalIn(cells).map((action, place) => [action, numbers[first + place] ?? null]);
    return Object.fromEntries(known.filter(([, number]) => number !== null).map(([action, number]) => [action, number / DIGITS]));
  }

  /** Whose thoughts are shown: who plays this side or, if that is a human, another. */
  adviser(side) {
    return [this.players[side], this.players[-side], ...this.opponents].find((name) => name !== YOU);
  }

  valueForFirst(cells) {
    if (isOver(cells)) return winnerOf(cells);
    return (toPlay(cells) * this.answersOf(this.adviser(1)).value[this.number.get(cells)]) / DIGITS;
  }

  /** What is wrong with the move after so many, by perfect play. */
  verdict(ply) {
    const plies = Object.entries(this.pliesIn(this.states[ply]));
    const scores = Object.fromEntries(plies.map(([action, count]) => [action, Math.sign(count)]));
    const best = Math.max(...Object.values(scores));
    const got = scores[this.actions[ply]];
    if (best === got) return { mark: "", words: "" };
    const better = this.names[Object.keys(scores).find((action) => scores[action] === best)];
    return { mark: "?".repeat(best - got), words: `a mistake: it turns ${ENDS[best]} into ${ENDS[got]}; ${better} keeps it` };
  }

  // --- what a person does

  /** A message of the page. It is answered later, as a kernel does. */
  send(message) {
    setTimeout(() => this.receive(message));
  }

  receive(message) {
    const [page, number] = message.id.split("-");
    this.view.heard = { ...this.view.heard, [page]: Number(number) };
    const current = message.version === this.view.version && (this.timer === null || this.at !== null);
    const { action, side, name, simulations } = message;
    const does = {
      play: () => (current && this.yours && legalIn(this.here).includes(action) ? (this.fromHere(), this.move(action), this.goOn()) : this.tell()),
      new: () => this.newGame(),
      undo: () => this.undo(),
      hint: () => ((this.hint = !isOver(this.here) && !this.asked), this.tell()),
      swap: () => ((this.players = { 1: this.players[-1], "-1": this.players[1] }), this.goOn()),
      step: () => (this.fromHere(), this.agentsPlay()),
      run: () => (this.fromHere(), isOver(this.cells) && this.begin(), this.agentsPlay(true)),
      pause: () => this.say(`Paused. ${this.turn()}`),
      speed: () => this.tell({ speed: message.speed }),
      player: () => ((this.players[side] = name), this.goOn()),
      strength: () => this.setStrength(simulations),
      overlay: () => ((this.shown.overlay = message.kind), this.tell()),
      value: () => ((this.shown.value = message.on), this.tell()),
      mistakes: () => ((this.shown.mistakes = message.on), this.tell()),
      set_up: () => this.setUpFrom(message.text),
      look: () => this.look(message.ply),
      take_up: () => this.takeUp(message.actions),
    };
    if (["swap", "pause", "player"].includes(message.do)) this.stop();
    does[message.do]();
  }

  setStrength(simulations) {
    this.view.strength = { ...this.view.strength, simulations };
    this.view.simulations = simulations;
    const word = simulations === 0 ? "the network alone" : `${counted(simulations, "simulation")} per move`;
    this.say(`Agents that search now play with ${word}. ${this.turn()}`);
  }

  // --- what the page shows

  get view() {
    return this.traits.view;
  }

  /** After each change of the game or its players. */
  say(text) {
    this.hint = false;
    this.said = text;
    this.aside = "";
    if (isOver(this.cells) && !this.counted) {
      this.counted = true;
      const result = [this.players[1], this.players[-1], winnerOf(this.cells)];
      this.results[result] = (this.results[result] ?? 0) + 1;
    }
    this.tell({ version: this.view.version + 1 });
  }

  /** What was said last or, if one looks back, where one is; and what to click if nobody moves by themselves. */
  words() {
    let words = this.said;
    if (this.at !== null) words = `${this.at ? `After move ${this.at} of ${this.actions.length}` : "The start"}: ${this.toMove(this.here)}${this.yours ? " A move here begins a new line." : ""}`;
    words = this.aside || words;
    return this.waits ? `${words} Click Next move${this.watching ? " or Run" : ""}.` : words;
  }

  /** The games that these two have ended on this board: those of the human, or of who plays X. */
  tally() {
    const side = this.players[-1] === YOU ? -1 : 1;
    const [one, other] = [this.players[side], this.players[-side]];
    const count = (...result) => this.results[result] ?? 0;
    const [won, drawn, lost] = [1, 0, -1].map((wanted) => count(one, other, wanted) + (one === other ? 0 : count(other, one, wanted ? -wanted : 0)));
    return `${one === other ? "X against O" : `${one[0].toUpperCase()}${one.slice(1)} against ${other}`}: ${won} won, ${drawn} drawn, ${lost} lost`;
  }

  /** A line that was left, as a button. */
  line(actions) {
    const after = common(actions, this.actions);
    const moves = actions.map((action, ply) => `${"XO"[ply % 2]} ${this.view.names[action]}`).slice(after);
    return { actions, words: moves.slice(0, 3).join(", ") + (moves.length > 3 ? " …" : ""), after };
  }

  tell(more = {}) {
    const { cells, here, states, actions, shown } = this;
    const legal = legalIn(here);
    const hint = this.hint ? this.actOf(this.adviser(toPlay(here)), here) : null;
    const closed = legal.length ? [...here].flatMap((_, action) => (legal.includes(action) ? [] : [action])) : [];
    const message = hint === null ? this.words() : `Hint: ${this.names[hint]}, says ${this.inWords(this.adviser(toPlay(here)))}.`;
    this.set("view", {
      ...this.view,
      positions: [...states],
      places: actions.map(squareOf),
      actions: [...actions],
      movers: states.slice(0, -1).map(toPlay),
      landing: Object.fromEntries(legal.map((action) => [action, squareOf(action)])),
      refusals: Object.fromEntries(closed.map((action) => [action, `Cell ${action} is taken: choose a free one.`])),
      to_play: isOver(here) ? 0 : toPlay(here),
      yours: this.yours,
      thinking: this.asked ? this.players[toPlay(cells)] : "",
      line: linesIn(cells).map((line) => line.map(squareOf)),
      overlay: shown.overlay === "nothing" || isOver(here) ? null : this.overlay(),
      values: shown.value ? states.map((state) => this.valueForFirst(state)) : [],
      valued_by: this.inWords(this.adviser(1)),
      verdicts: shown.mistakes ? actions.map((_, ply) => this.verdict(ply)) : [],
      analyzed: shown.mistakes ? this.analyzed : "",
      message,
      hint,
      at: this.at,
      lines: this.left.map((line) => this.line(line)),
      tally: this.tally(),
      players: { ...this.players },
      running: this.running,
      watching: this.watching || this.waits,
      shows: shown.overlay,
      shows_value: shown.value,
      shows_mistakes: shown.mistakes,
      ...more,
    });
  }

  overlay() {
    const kind = this.shown.overlay;
    if (kind === "perfect") return { kind, shares: this.pliesIn(this.here), said: this.perfectly };
    const name = this.adviser(toPlay(this.here));
    const shares = this.knownOf(name, kind, this.here);
    const what = { prior: "the prior", visits: "the share of visits", Q: "the value for the player to move" }[kind];
    const said = Object.keys(shares).length ? `On the squares: ${what}, says ${this.inWords(name)}.` : `No ${kind} to show: ${this.inWords(name)}.`;
    return { kind, shares, said };
  }
}

/** Puts a component with its data into an element. Returns its model, for whoever wants to look. */
function bring(name, data, el) {
  const model = name === "board" ? new StoredBoard(data) : new Model(data);
  ({ board, microscope })[name].render({ model, el });
  return model;
}

/** Puts the components where they belong. */
function openPage(data) {
  return Object.fromEntries(Object.entries(data).map(([name, its]) => [name, bring(name, its, document.getElementById(name))]));
}
