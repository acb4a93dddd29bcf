// Two players and the moves so far, on a page without Python: what `Match` in game_in_progress.py is in a notebook.

const SIGN = { 1: "X", "-1": "O" };
const YOU = "you";

const begins = (line, other) => String(line.slice(0, other.length)) === String(other);
// how many moves they share
const common = (line, other) => [...line, NaN].findIndex((action, ply) => action !== other[ply]);

/** The line, the lines that were left, who plays, and whose turn it is in words. */
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

  /** The game from the start by these actions. They were set up, not played, so the game is not counted. */
  setUp(actions) {
    this.begin();
    for (const action of actions) this.play(action);
    this.counted = true;
  }
}
