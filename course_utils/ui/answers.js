// What an oracle has answered about the game on a page: each question is asked once, one after the other, the most
// wanted first.

class Answers {
  constructor(session) {
    this.session = session;
    this.known = new Map(); // question -> { answer } or { why }
    this.looking = null; // the AbortController of the question that is being answered
  }

  /** What an answer depends on, after so many moves of the game. */
  key(what, ply) {
    const { session } = this;
    const name = ["verdict", "perfect"].includes(what) ? "" : session.adviser(what === "value" ? 1 : session.here.to_play);
    return [what, name, session.strength, ...session.match.actions.slice(0, ply)].join();
  }

  /** { answer } or { why }; undefined: not known yet. */
  to(what, ply = this.session.ply) {
    return this.known.get(this.key(what, ply));
  }

  /** The next question whose answer is to be shown: [key, function of a signal]. */
  wanted() {
    const { oracle, strength, here, ply, match, shown, hint, overlaid } = this.session;
    const line = (length) => match.actions.slice(0, length);
    const name = this.session.adviser(here.to_play);
    const questions = [];
    if (hint) questions.push(["hint", ply, (signal) => oracle.act(name, line(ply), strength, signal)]);
    if (overlaid) questions.push([shown.overlay, ply, (signal) => oracle.thoughts(shown.overlay, name, line(ply), strength, signal)]);
    const plies = [...match.states.keys()];
    if (shown.value) questions.push(...plies.toReversed().map((at) => ["value", at, (signal) => oracle.value(this.session.adviser(1), line(at), strength, signal)]));
    if (shown.mistakes) questions.push(...plies.slice(1).map((at) => ["verdict", at, (signal) => oracle.verdict(line(at), strength, signal)]));
    return questions.map(([what, at, ask]) => [this.key(what, at), ask]).find(([key]) => !this.known.has(key));
  }

  /** Find out what is still wanted, and tell the page after each answer. Another call takes the place of this one. */
  async findOut() {
    const looking = new AbortController();
    for (let question; (question = this.wanted()); this.session.tell()) {
      this.looking = looking;
      const [key, ask] = question;
      const answer = await answerOf(() => ask(looking.signal));
      if (looking.signal.aborted) return;
      this.known.set(key, answer);
      if (!this.wanted()) this.looking = null;
    }
  }

  stop() {
    this.looking?.abort();
    this.looking = null;
  }

  /** An agent has changed. */
  forget() {
    this.known.clear();
  }
}

/** { answer }, or { why }: there is none. */
async function answerOf(question) {
  try {
    return { answer: await question() };
  } catch (error) {
    return { why: `${error.name}: ${error.message}` };
  }
}
