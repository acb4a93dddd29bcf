// What a page shows of a board's session: the traits that `board.js` draws, with all their sentences, in the words of
// board.py.

const SHOWS = { prior: "the prior", visits: "the share of visits", Q: "the value for the player to move" };

/** Of a `Session`. It changes nothing. */
class Shown {
  constructor(session) {
    this.session = session;
  }

  view() {
    const { session } = this;
    const { here, shown, match } = session;
    const { states, actions } = match;
    const [hint, message] = session.hint ? this.hint() : [null, this.words()];
    return {
      ...this.thoughts(),
      positions: states.map(({ cells }) => cells),
      places: actions.map((action, ply) => states[ply].landing[action]),
      actions: [...actions],
      movers: states.slice(0, -1).map(({ to_play }) => to_play),
      landing: here.landing,
      refusals: here.refusals,
      to_play: here.over ? 0 : here.to_play,
      yours: session.yours,
      thinking: session.asked ? match.players[match.state.to_play] : "",
      line: match.state.lines,
      message,
      hint,
      at: session.at,
      lines: match.left.map((line) => this.line(line)),
      tally: this.tally(),
      players: { ...match.players },
      running: session.running,
      watching: match.watched || session.waits,
      shows: shown.overlay,
      shows_value: shown.value,
      shows_mistakes: shown.mistakes,
    };
  }

  /** What was said last or, if one looks back, where one is; and what to click if no agent moves by itself. */
  words() {
    const { said, aside, at, match, here, yours, waits } = this.session;
    let words = said;
    if (at !== null) words = `${at ? `After move ${at} of ${match.actions.length}` : "The start"}: ${match.toMove(here)}${yours ? " A move here begins a new line." : ""}`;
    words = aside || words;
    return waits ? `${words} Click Next move${match.watched ? " or Run" : ""}.` : words;
  }

  /** Who is asked at the position on show, in words. */
  adviser() {
    return this.session.inWords(this.session.adviser(this.session.here.to_play));
  }

  /** [action, what to say]. */
  hint() {
    const [name, known] = [this.adviser(), this.session.answers.to("hint")];
    if (known === undefined) return [null, `${name} is asked for a hint ...`];
    if (known.why !== undefined) return [null, `${name} has no hint (${known.why}). ${this.words()}`];
    return [known.answer, `Hint: ${this.session.oracle.actionName(known.answer)}, says ${name}.`];
  }

  /** The games that these two have ended on this board: those of the human, or of who plays X. */
  tally() {
    const { match, results } = this.session;
    const side = match.players[-1] === YOU ? -1 : 1;
    const [player, other] = [match.players[side], match.players[-side]];
    const count = (...result) => results[result] ?? 0;
    const [won, drawn, lost] = [1, 0, -1].map((wanted) => count(player, other, wanted) + (player === other ? 0 : count(other, player, wanted ? -wanted : 0)));
    return `${player === other ? "X against O" : `${player[0].toUpperCase()}${player.slice(1)} against ${other}`}: ${won} won, ${drawn} drawn, ${lost} lost`;
  }

  /** A line that was left, as a button. */
  line(actions) {
    const after = common(actions, this.session.match.actions);
    const moves = actions.map((action, ply) => `${"XO"[ply % 2]} ${this.session.view.names[action]}`).slice(after);
    return { actions, words: moves.slice(0, 3).join(", ") + (moves.length > 3 ? " …" : ""), after };
  }

  thoughts() {
    const { match, shown, answers, overlaid, oracle, strength } = this.session;
    const plies = [...match.states.keys()];
    const values = shown.value ? plies.map((ply) => answers.to("value", ply)) : [];
    const verdicts = shown.mistakes ? plies.slice(1).map((ply) => answers.to("verdict", ply)) : [];
    const left = verdicts.filter((verdict) => verdict === undefined).length;
    return {
      overlay: overlaid ? this.overlay() : null,
      values: values.map((value) => value?.answer ?? null),
      valued_why: values.findLast((value) => value?.why !== undefined)?.why ?? "",
      valued_by: this.session.inWords(this.session.adviser(1)),
      verdicts: verdicts.map((verdict) => verdict?.answer ?? { mark: "", words: "" }),
      analyzed: shown.mistakes ? oracle.analyzed(strength) + (left ? `, ${left} moves to go ...` : "") : "",
    };
  }

  overlay() {
    const kind = this.session.shown.overlay;
    const [name, known] = [this.adviser(), this.session.answers.to(kind)];
    if (known === undefined) return null;
    const shares = known.answer ?? {};
    if (known.why !== undefined) return { kind, shares, said: `${name} could not say what it thinks (${known.why}).` };
    if (kind === "perfect") return { kind, shares, said: this.session.oracle.perfectly };
    return { kind, shares, said: Object.keys(shares).length ? `On the squares: ${SHOWS[kind]}, says ${name}.` : `No ${kind} to show: ${name}.` };
  }
}
