// The board's session on a page without Python: where one looks at the game (`GameInProgress`), who thinks, and what a person does. `Shown` turns it into
// what the page shows.
// All else it asks an oracle, five questions about a line of actions (`strength`: simulations; `signal`: of an AbortController):
//
//   position(line)                                -> { cells, legal, landing, refusals, to_play, over, winner, lines }, at once; throws an Error
//   act(name, line, strength, signal)             -> action
//   thoughts(kind, name, line, strength, signal)  -> action -> number; kind is "prior", "visits", "Q" or "perfect"
//   value(name, line, strength, signal)           -> number, for the first player
//   verdict(line, strength, signal)               -> { mark, words } of the last move
//
// All but the first may take their time (promises). It shows what board.py and game_in_progress.py show in a notebook; a test compares them word for word.

const BREATH = 350; // ms at least until an agent's answer is played, so that both moves are seen

const later = (ms) => new Promise((done) => setTimeout(done, ms));

class Session extends Model {
  constructor({ view }, oracle) {
    super({ view });
    this.oracle = oracle;
    this.opponents = view.choices.filter((name) => name !== YOU);
    this.shown = { overlay: view.shows, value: view.shows_value, mistakes: view.shows_mistakes };
    this.match = new GameInProgress(oracle, view.players, (name) => this.inWords(name));
    this.at = null; // the number of moves after which one looks at the game; null: at its end
    this.results = {}; // of the games that have ended
    this.answers = new Answers(this);
    this.shows = new Shown(this);
    this.playing = null; // the AbortController of the agents' moves still to come
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

  /** The game goes on in the position on show, and all thinking stops. */
  fromHere() {
    this.stop();
    if (this.at !== null) this.match.backTo(this.at);
    this.at = null;
  }

  // --- agents

  /** The agent to move answers; the caller does not await what it does alone. */
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
      const [answer] = await Promise.all([answerOf(() => this.oracle.act(this.match.agentToMove, [...this.match.actions], this.strength, signal)), later(toTheEnd ? 0 : BREATH)]);
      if (signal.aborted) return;
      this.asked = false;
      said = this.match.accept(answer);
      if (!toTheEnd || this.match.stuck || !this.match.agentToMove) break;
      this.say(said); // between two moves of a running game there is no question
      await later(1000 * this.view.speeds[this.view.speed]);
      if (signal.aborted) return;
    }
    [this.playing, this.running] = [null, false];
    this.say(said);
  }

  stop() {
    this.playing?.abort();
    [this.playing, this.asked, this.running] = [null, false, false];
  }

  /** Whose thoughts are shown: who plays this side or, if that is a human, another. */
  adviser(side) {
    return [this.match.players[side], this.match.players[-side], ...this.opponents].find((name) => name !== YOU);
  }

  /** An agent has changed: what it said before is forgotten. */
  askAgain() {
    this.answers.forget();
    this.findOut();
  }

  get overlaid() {
    return this.shown.overlay !== "nothing" && !this.here.over;
  }

  /** Tell the page what is known, and find out what else is to be shown. */
  findOut(more = {}) {
    this.answers.stop();
    this.tell(more);
    if (!this.asked) this.answers.findOut();
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

  /** Show a message; an agent that is thinking goes on. */
  refuse(why) {
    [this.aside, this.hint] = [why, false];
    this.tell();
  }

  tell(more = {}) {
    this.set("view", { ...this.view, ...this.shows.view(), ...more });
  }
}
