// The board's session on a page without Python: the line, the lines that were left, where one looks, who plays, the tally, and what is said.
// All else it asks an oracle, five questions about a line of actions (`strength`: simulations; `signal`: of an AbortController):
//
//   position(line)                                -> { cells, legal, landing, refusals, to_play, over, winner, lines }, at once; throws an Error
//   act(name, line, strength, signal)             -> action
//   thoughts(kind, name, line, strength, signal)  -> action -> number; kind is "prior", "visits", "Q" or "perfect"
//   value(name, line, strength, signal)           -> number, for the first player
//   verdict(line, strength, signal)               -> { mark, words } of the last move
//
// All but the first may take their time (promises). It shows what board.py and game_in_progress.py show in a notebook; a test compares them word for word.

const SIGN = { 1: "X", "-1": "O" };
const YOU = "you";
const BREATH = 350; // ms at least until an agent's answer is played, so that both moves are seen
const SHOWS = { prior: "the prior", visits: "the share of visits", Q: "the value for the player to move" };

const later = (ms) => new Promise((done) => setTimeout(done, ms));
const begins = (line, other) => String(line.slice(0, other.length)) === String(other);
const common = (line, other) => [...line, NaN].findIndex((action, ply) => action !== other[ply]); // how many moves they share

/** Two players and the moves so far, as `Match` in game_in_progress.py: the line, the lines that were left, who plays, and whose turn it is in words. */
class GameInProgress {
  constructor(oracle, players, inWords) {
    Object.assign(this, { oracle, inWords, players: { ...players } });
    this.states = [oracle.position([])];
    this.actions = [];
    this.begin();
  }

  /** Another game. */
  begin() {
    this.takeBack(0);
    this.left = []; // lines that were left, the latest first
    this.counted = false; // in the tally, or not to be
  }

  get state() {
    return this.states.at(-1);
  }

  get over() {
    return this.state.over;
  }

  /** The name of the agent whose move it is; null if it is a human's or the game is over. */
  get agentToMove() {
    const name = this.players[this.state.to_play];
    return this.over || name === YOU ? null : name;
  }

  get watched() {
    return !Object.values(this.players).includes(YOU);
  }

  setPlayers(players) {
    this.players = players;
    this.stuck = false;
  }

  turn() {
    const { winner } = this.state;
    if (winner) return `The game is over: ${SIGN[winner]} wins (${this.inWords(this.players[winner])}).`;
    return this.over ? "The game is over: draw." : this.toMove(this.state);
  }

  toMove({ to_play }) {
    return `${SIGN[to_play]} (${this.inWords(this.players[to_play])}) to move.`;
  }

  play(action) {
    this.states.push(this.oracle.position([...this.actions, action]));
    this.actions.push(action);
    this.stuck = false; // the agent to move has failed to answer: a human may move for it
    this.forget();
  }

  /** Play what the agent to move has answered. */
  accept({ answer, why }) {
    if (why === undefined) this.play(answer);
    else this.stuck = true;
    return why === undefined ? this.turn() : `${this.players[this.state.to_play]} could not move (${why}). Move for it, undo, or choose another player.`;
  }

  /** The plies that may be taken back: those of humans, or all where none plays. */
  undoable() {
    return this.actions.flatMap((_, ply) => (this.watched || this.players[this.states[ply].to_play] === YOU ? [ply] : []));
  }

  /** Take back all moves after so many. The line that is left can be taken up again. */
  backTo(ply) {
    this.left.unshift([...this.actions]);
    this.takeBack(ply);
    this.forget();
  }

  takeBack(ply) {
    this.states.length = ply + 1;
    this.actions.length = ply;
    this.stuck = false;
  }

  takeUp(line) {
    if (!this.left.some((other) => String(other) === String(line))) return;
    this.backTo(common(line, this.actions));
    for (const action of line.slice(this.actions.length)) this.play(action);
    this.counted ||= this.over;
  }

  /** The lines that are part of the game, or of another line, are not left. */
  forget() {
    const kept = (line, place, lines) => !begins(this.actions, line) && !lines.some((other, at) => begins(other, line) && (other.length !== line.length || at < place));
    this.left = this.left.filter(kept);
  }

  /** The game from the start by these actions, which nobody has played, so it is not counted. */
  setUp(actions) {
    this.begin();
    for (const action of actions) this.play(action);
    this.counted = true;
  }
}

class Session extends Model {
  constructor({ view }, oracle) {
    super({ view });
    this.oracle = oracle;
    this.opponents = view.choices.filter((name) => name !== YOU);
    this.shown = { overlay: view.shows, value: view.shows_value, mistakes: view.shows_mistakes };
    this.match = new GameInProgress(oracle, view.players, (name) => this.inWords(name));
    this.at = null; // the number of moves after which one looks at the game; null: at its end
    this.results = {}; // of the games that have ended
    this.known = new Map(); // question -> answer
    this.playing = this.looking = null; // AbortControllers: of the agents' moves still to come, of what is being found out
    this.asked = this.running = this.hint = false;
    if (view.actions.length) this.setUp(view.actions);
    else this.goOn();
  }

  // --- the game

  get ply() {
    return this.at ?? this.match.actions.length;
  }

  /** The position on show. */
  get here() {
    return this.match.states[this.ply];
  }

  /** Whether a human may move in the position on show. */
  get yours() {
    if (this.at !== null) return this.match.players[this.here.to_play] === YOU;
    return this.playing === null && !this.match.over && (this.match.agentToMove === null || this.match.stuck);
  }

  /** Whether it is an agent's turn there, which moves when it is told to. */
  get waits() {
    return this.at === null ? this.match.agentToMove !== null && this.playing === null && !this.match.stuck : !this.yours;
  }

  /** Who that is, in words. */
  inWords(name) {
    if (!this.oracle.searches(name)) return name;
    return `${name}, ${this.strength ? counted(this.strength, "simulation") : "without search"}`;
  }

  get strength() {
    return this.view.simulations;
  }

  /** The game goes on in the position on show, and nobody thinks any more. */
  fromHere() {
    this.stop();
    if (this.at !== null) this.match.backTo(this.at);
    this.at = null;
  }

  // --- agents

  /** The agent to move answers; what it does alone, nobody waits for. */
  goOn() {
    if (this.at === null && this.match.agentToMove && !this.match.stuck && !this.match.watched) this.agentsPlay();
    else this.say(this.match.turn());
  }

  /** The agent to move plays: one move, or as long as it is an agent's turn. */
  async agentsPlay(toTheEnd = false) {
    if (!this.match.agentToMove) return this.say(this.match.over ? this.match.turn() : `It is your move. ${this.match.turn()}`);
    const { signal } = (this.playing = new AbortController());
    this.running = toTheEnd;
    let said;
    for (;;) {
      this.asked = true;
      this.say(`${SIGN[this.match.state.to_play]} (${this.inWords(this.match.agentToMove)}) is thinking ...`);
      const [answer] = await Promise.all([this.answerOf(() => this.oracle.act(this.match.agentToMove, [...this.match.actions], this.strength, signal)), later(toTheEnd ? 0 : BREATH)]);
      if (signal.aborted) return;
      this.asked = false;
      said = this.match.accept(answer);
      if (!toTheEnd || this.match.stuck || !this.match.agentToMove) break;
      this.say(said); // between two moves of a game that runs nobody is asked
      await later(1000 * this.view.speeds[this.view.speed]);
      if (signal.aborted) return;
    }
    [this.playing, this.running] = [null, false];
    this.say(said);
  }

  /** { answer }, or { why }: there is none. */
  async answerOf(question) {
    try {
      return { answer: await question() };
    } catch (error) {
      return { why: `${error.name}: ${error.message}` };
    }
  }

  stop() {
    this.playing?.abort();
    [this.playing, this.asked, this.running] = [null, false, false];
  }

  // --- what is found out about the game, one question after the other

  /** Whose thoughts are shown: who plays this side or, if that is a human, another. */
  adviser(side) {
    return [this.match.players[side], this.match.players[-side], ...this.opponents].find((name) => name !== YOU);
  }

  /** What an answer depends on, after so many moves of the game. */
  key(what, ply) {
    const name = ["verdict", "perfect"].includes(what) ? "" : this.adviser(what === "value" ? 1 : this.here.to_play);
    return [what, name, this.strength, ...this.match.actions.slice(0, ply)].join();
  }

  /** What is known: { answer } or { why }; undefined: nothing yet. */
  answered(what, ply = this.ply) {
    return this.known.get(this.key(what, ply));
  }

  /** The next question whose answer is to be shown: [key, function of a signal]. */
  wanted() {
    const { oracle, strength, here, ply } = this;
    const line = (length) => this.match.actions.slice(0, length);
    const name = this.adviser(here.to_play);
    const questions = [];
    if (this.hint) questions.push(["hint", ply, (signal) => oracle.act(name, line(ply), strength, signal)]);
    if (this.overlaid) questions.push([this.shown.overlay, ply, (signal) => oracle.thoughts(this.shown.overlay, name, line(ply), strength, signal)]);
    const plies = [...this.match.states.keys()];
    if (this.shown.value) questions.push(...plies.toReversed().map((at) => ["value", at, (signal) => oracle.value(this.adviser(1), line(at), strength, signal)]));
    if (this.shown.mistakes) questions.push(...plies.slice(1).map((at) => ["verdict", at, (signal) => oracle.verdict(line(at), strength, signal)]));
    return questions.map(([what, at, ask]) => [this.key(what, at), ask]).find(([key]) => !this.known.has(key));
  }

  /** An agent has changed: what it said before is forgotten. */
  askAgain() {
    this.known.clear();
    this.findOut();
  }

  get overlaid() {
    return this.shown.overlay !== "nothing" && !this.here.over;
  }

  /** Tell the page what is known, and find out what else is to be shown. Another call takes the place of this one. */
  async findOut(more = {}) {
    this.looking?.abort();
    this.looking = null;
    this.tell(more);
    if (this.asked) return;
    const looking = new AbortController();
    for (let question; (question = this.wanted()); this.tell()) {
      this.looking = looking;
      const [key, ask] = question;
      const answer = await this.answerOf(() => ask(looking.signal));
      if (looking.signal.aborted) return;
      this.known.set(key, answer);
      if (!this.wanted()) this.looking = null;
    }
  }

  // --- what a person does

  /** A message of the page. It is answered later, as a kernel does. */
  send(message) {
    setTimeout(() => this.receive(message));
  }

  receive(message) {
    const [page, number] = message.id.split("-");
    this.view.heard = { ...this.view.heard, [page]: Number(number) };
    const current = message.version === this.view.version && (this.playing === null || this.at !== null);
    const does = {
      play: () => (current ? this.click(message.action) : this.tell()),
      new: () => this.newGame(),
      undo: () => this.undo(),
      hint: () => ((this.hint = !this.here.over && !this.asked), this.findOut()),
      swap: () => (this.match.setPlayers({ 1: this.match.players[-1], "-1": this.match.players[1] }), this.goOn()),
      step: () => (this.fromHere(), this.agentsPlay()),
      run: () => (this.fromHere(), this.match.over && this.match.begin(), this.agentsPlay(true)),
      pause: () => this.say(`Paused. ${this.match.turn()}`),
      speed: () => this.tell({ speed: message.speed }),
      player: () => (this.match.setPlayers({ ...this.match.players, [message.side]: message.name }), this.goOn()),
      strength: () => this.setStrength(message.simulations),
      overlay: () => ((this.shown.overlay = message.kind), this.findOut()),
      value: () => ((this.shown.value = message.on), this.findOut()),
      mistakes: () => ((this.shown.mistakes = message.on), this.findOut()),
      set_up: () => this.setUpFrom(message.text),
      look: () => this.look(message.ply),
      take_up: () => this.takeUp(message.actions),
    };
    if (["swap", "pause", "player"].includes(message.do)) this.stop();
    does[message.do]();
  }

  click(action) {
    if (!this.yours || !this.here.legal.includes(action)) return this.tell(); // `board.js` says why
    this.fromHere();
    this.match.play(action);
    this.goOn();
  }

  look(ply) {
    this.at = ply === null || ply >= this.match.actions.length ? null : Math.max(ply, 0);
    [this.aside, this.hint] = ["", false];
    this.findOut({ version: this.view.version + 1 });
  }

  newGame() {
    this.stop();
    this.at = null;
    this.match.begin();
    this.goOn();
  }

  undo() {
    const plies = this.match.undoable();
    if (!plies.length) return this.refuse(`There is nothing to undo. ${this.match.turn()}`);
    this.stop();
    this.at = null;
    this.match.backTo(plies.at(-1));
    this.say(`Undone. ${this.match.turn()}`);
  }

  takeUp(line) {
    this.stop();
    this.at = null;
    this.match.takeUp(line);
    this.say(this.match.turn());
  }

  setUpFrom(text) {
    const actions = (text.match(/-?\d+/g) ?? []).map(Number);
    if ((actions.length || text.trim() === "[]") && !/[^\d\s,;[\]()-]/.test(text)) this.setUp(actions);
    else this.refuse(`That is not a position: type the actions from the start, such as ${this.view.example}.`);
  }

  /** The game from the start by these actions; said, and left as it was, if one of them is not legal. Whose turn it is waits, and how it ends is not counted. */
  setUp(actions) {
    if (!actions.length) return this.newGame();
    try {
      this.oracle.position(actions);
    } catch (error) {
      return this.refuse(`That is not a position: ${error.message}`);
    }
    this.stop();
    this.at = null;
    this.match.setUp(actions);
    this.say(this.match.turn());
  }

  setStrength(simulations) {
    this.view.strength = { ...this.view.strength, simulations };
    this.view.simulations = simulations;
    const word = simulations === 0 ? "the network alone" : `${counted(simulations, "simulation")} per move`;
    this.say(`Agents that search now play with ${word}. ${this.match.turn()}`);
  }

  // --- what the page shows

  get view() {
    return this.traits.view;
  }

  /** After each change of the game or its players. */
  say(text) {
    [this.said, this.aside, this.hint] = [text, "", false];
    if (this.match.over && !this.match.counted) {
      this.match.counted = true;
      const result = [this.match.players[1], this.match.players[-1], this.match.state.winner];
      this.results[result] = (this.results[result] ?? 0) + 1;
    }
    this.findOut({ version: this.view.version + 1 });
  }

  /** Say so; whoever thinks goes on. */
  refuse(why) {
    [this.aside, this.hint] = [why, false];
    this.tell();
  }

  /** What was said last or, if one looks back, where one is; and what to click if nobody moves by themselves. */
  words() {
    let words = this.said;
    if (this.at !== null) words = `${this.at ? `After move ${this.at} of ${this.match.actions.length}` : "The start"}: ${this.match.toMove(this.here)}${this.yours ? " A move here begins a new line." : ""}`;
    words = this.aside || words;
    return this.waits ? `${words} Click Next move${this.match.watched ? " or Run" : ""}.` : words;
  }

  /** [action, what to say]. */
  hinted() {
    const [name, found] = [this.inWords(this.adviser(this.here.to_play)), this.answered("hint")];
    if (found === undefined) return [null, `${name} is asked for a hint ...`];
    if (found.why !== undefined) return [null, `${name} has no hint (${found.why}). ${this.words()}`];
    return [found.answer, `Hint: ${this.oracle.actionName(found.answer)}, says ${name}.`];
  }

  /** The games that these two have ended on this board: those of the human, or of who plays X. */
  tally() {
    const side = this.match.players[-1] === YOU ? -1 : 1;
    const [one, other] = [this.match.players[side], this.match.players[-side]];
    const count = (...result) => this.results[result] ?? 0;
    const [won, drawn, lost] = [1, 0, -1].map((wanted) => count(one, other, wanted) + (one === other ? 0 : count(other, one, wanted ? -wanted : 0)));
    return `${one === other ? "X against O" : `${one[0].toUpperCase()}${one.slice(1)} against ${other}`}: ${won} won, ${drawn} drawn, ${lost} lost`;
  }

  /** A line that was left, as a button. */
  line(actions) {
    const after = common(actions, this.match.actions);
    const moves = actions.map((action, ply) => `${"XO"[ply % 2]} ${this.view.names[action]}`).slice(after);
    return { actions, words: moves.slice(0, 3).join(", ") + (moves.length > 3 ? " …" : ""), after };
  }

  tell(more = {}) {
    const { here, shown, match } = this;
    const { states, actions } = match;
    const [hint, message] = this.hint ? this.hinted() : [null, this.words()];
    this.set("view", {
      ...this.view,
      ...this.thoughts(),
      positions: states.map(({ cells }) => cells),
      places: actions.map((action, ply) => states[ply].landing[action]),
      actions: [...actions],
      movers: states.slice(0, -1).map(({ to_play }) => to_play),
      landing: here.landing,
      refusals: here.refusals,
      to_play: here.over ? 0 : here.to_play,
      yours: this.yours,
      thinking: this.asked ? this.match.players[this.match.state.to_play] : "",
      line: this.match.state.lines,
      message,
      hint,
      at: this.at,
      lines: this.match.left.map((line) => this.line(line)),
      tally: this.tally(),
      players: { ...this.match.players },
      running: this.running,
      watching: this.match.watched || this.waits,
      shows: shown.overlay,
      shows_value: shown.value,
      shows_mistakes: shown.mistakes,
      ...more,
    });
  }

  thoughts() {
    const plies = [...this.match.states.keys()];
    const values = this.shown.value ? plies.map((ply) => this.answered("value", ply)) : [];
    const verdicts = this.shown.mistakes ? plies.slice(1).map((ply) => this.answered("verdict", ply)) : [];
    const left = verdicts.filter((found) => found === undefined).length;
    return {
      overlay: this.overlaid ? this.overlay() : null,
      values: values.map((found) => found?.answer ?? null),
      valued_why: values.findLast((found) => found?.why !== undefined)?.why ?? "",
      valued_by: this.inWords(this.adviser(1)),
      verdicts: verdicts.map((found) => found?.answer ?? { mark: "", words: "" }),
      analyzed: this.shown.mistakes ? this.oracle.analyzed(this.strength) + (left ? `, ${left} moves to go ...` : "") : "",
    };
  }

  overlay() {
    const kind = this.shown.overlay;
    const [name, found] = [this.inWords(this.adviser(this.here.to_play)), this.answered(kind)];
    if (found === undefined) return null;
    const shares = found.answer ?? {};
    if (found.why !== undefined) return { kind, shares, said: `${name} could not say what it thinks (${found.why}).` };
    if (kind === "perfect") return { kind, shares, said: this.oracle.perfectly };
    return { kind, shares, said: Object.keys(shares).length ? `On the squares: ${SHOWS[kind]}, says ${name}.` : `No ${kind} to show: ${name}.` };
  }
}
