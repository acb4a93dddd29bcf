// An agent's page: play it, see it think, see how it learned, let it meet another. All that is the agent's is data in
// the page; what comes from another file is read by the engine, which checks it, and written as text. `board` and
// `microscope` are the components.

const MOST = 16_000_000; // letters of a file that is dropped here
const LONGEST = 60; // letters of a name
const PERFECT = "perfect play";
const MARKED = /<script type="application\/json" id="agent">([^<]*)<\/script>/;
const GAMES = { tictactoe: "Tic-tac-toe", connect_four: "Connect Four" };
const SHOWN_GAMES = 12; // of a match, as buttons

const $ = (id) => document.getElementById(id);
const agentOf = (name) => (name ? `${name}'s agent` : "this agent");

/**
 * What a page says of its agent: { name, networks: game's name -> what the engine loads }. Throws an Error, in a
 * sentence.
 */
function readAgent(text) {
  if (text.length > MOST) throw new Error("This file is larger than any agent's page.");
  const marked = MARKED.exec(text);
  let data = null;
  try {
    data = JSON.parse(marked?.[1] ?? "null");
  } catch {
    throw new Error("This page is damaged: what it says of its agent can't be read.");
  }
  if (data?.kind !== "alphazero-agent" || data.version !== 1) throw new Error("This file is not the page of an agent of this course.");
  const name = typeof data.name === "string" ? data.name.replace(/[^\p{L}\p{M}\p{N}\p{P}\p{S}\p{Zs}]/gu, "").trim().slice(0, LONGEST) : "";
  const networks = {};
  for (const game of Object.keys(GAMES)) {
    if (!Object.hasOwn(data.games ?? {}, game)) continue;
    try {
      networks[game] = data.games[game];
      engine.load_network(networks[game]);
    } catch (error) {
      throw new Error(`The agent in this file can't be used: ${error.message}.`);
    }
  }
  if (!Object.keys(networks).length) throw new Error("There is no agent in this file.");
  return { name, networks };
}

/** Whether two networks are for the same board. */
const sameGame = (first, second) => ["name", "rows", "columns", "n", "gravity"].every((size) => first.game[size] === second.game[size]);

// --- playing and thinking --------------------------------------------------------------------------------------------

/** The board of one game, and its microscope. */
class Table {
  constructor(game, { board: data, scope }, name) {
    Object.assign(this, { game, data, scope, name });
    this.place = $(`board-${game}`);
    this.networks = { ...data.agents };
    this.bringBoard();
    const network = new engine.CachedNetwork(engine.load_network(data.agents[name]));
    this.rules = new engine.LineGame(data.game);
    this.live = new LiveScope(this.rules, { [name]: network }, { ...scope, agent: name });
    microscope.render({ model: this.live, el: $(`scope-${game}`) });
    $(`think-${game}`).addEventListener("click", () => this.think());
  }

  bringBoard(view = this.data.view) {
    this.session?.stop();
    this.place.replaceChildren();
    this.session = bring({ ...this.data, view, agents: this.networks }, this.place);
    this.session.on("change:view", () => this.moved?.());
  }

  /** Another agent can be chosen on the board, too. */
  invite(label, network) {
    this.networks = { ...this.data.agents, [label]: network };
    const choices = ["you", ...Object.keys(this.networks)];
    const { actions, simulations, strength } = this.session.get("view");
    this.bringBoard({ ...this.data.view, choices, actions: [...actions], simulations, strength });
  }

  get line() {
    return this.session.get("view").actions;
  }

  setUp(line) {
    this.session.receive({ do: "set_up", text: line.length ? line.join(", ") : "[]", id: "page-1" });
  }

  /** The microscope looks at the position on the board. */
  think() {
    const { actions, at } = this.session.get("view");
    const position = actions.slice(0, at ?? actions.length);
    if (this.rules.is_terminal(engine.after(this.rules, position))) position.pop();
    this.live.set("choice", { ...this.live.get("choice"), position });
    $(`scope-${this.game}`).scrollIntoView({ block: "nearest" });
  }
}

/** The address carries the position of a board: #0,4,8. */
function followAddress(table) {
  const fromAddress = () => {
    const line = /^#(\d+(?:,\d+)*)$/.exec(location.hash)?.[1].split(",").map(Number);
    if (line && String(line) !== String(table.line)) table.setUp(line);
  };
  table.moved = () => {
    const address = `#${table.line.join(",")}`;
    try {
      if (address !== (location.hash || "#")) history.replaceState(null, "", address);
    } catch {
      // a page inside another may have no address of its own
    }
  };
  fromAddress();
  window.addEventListener("hashchange", fromAddress);
}

// --- how it learned --------------------------------------------------------------------------------------------------

/** A small board: stones, and shares on the free cells. */
function smallBoard(cells, shares, said) {
  const picture = s("svg", { viewBox: "-0.05 -0.05 3.1 3.1", class: "small-board", role: "img", "aria-label": said });
  const most = Math.max(...shares, 1e-9);
  [...cells].forEach((cell, place) => {
    const [x, y] = [place % 3, Math.floor(place / 3)];
    if (cell === ".") picture.append(s("rect", { x, y, width: 1, height: 1, class: "share", style: `opacity:${(0.55 * shares[place]) / most}` }));
    if (cell === "X") picture.append(s("path", { d: `M${x + 0.25} ${y + 0.25}l.5 .5m0 -.5l-.5 .5`, class: "cross" }));
    if (cell === "O") picture.append(s("circle", { cx: x + 0.5, cy: y + 0.5, r: 0.27, class: "ring" }));
    if (cell === "." && shares[place] > 0) picture.append(s("text", { x: x + 0.5, y: y + 0.6, class: "number" }, percent(shares[place])));
  });
  picture.append(s("path", { d: "M1 0v3M2 0v3M0 1h3M0 2h3M0 0h3v3h-3z", class: "lines" }));
  return picture;
}

/**
 * The training as a film: `positions`, texts; `frames`: { iteration, lost: [first, second], seen: [[policy, value] of
 * each position] }.
 */
function showFilm({ positions, frames }, el) {
  const [width, height] = [560, 150];
  const totals = frames.map(({ lost }) => lost[0] + lost[1]);
  const scale = Math.log1p(Math.max(...totals, 1));
  const x = (number) => 10 + ((width - 20) * number) / Math.max(frames.length - 1, 1);
  const y = (total) => height - 22 - ((height - 40) * Math.log1p(total)) / scale;
  const curve = s("svg", { viewBox: `0 0 ${width} ${height}`, class: "curve", "aria-hidden": "true" });
  const marker = s("line", { y1: 8, y2: height - 18, class: "marker" });
  const dot = s("circle", { r: 5, class: "dot" });
  curve.append(
    s("path", { d: `M10 ${height - 18}H${width - 10}`, class: "axis" }),
    s("path", { d: totals.map((total, number) => `${number ? "L" : "M"}${x(number)} ${y(total)}`).join(""), class: "falls" }),
    s("text", { x: 10, y: y(totals[0]) - 8, class: "number" }, totals[0]),
    s("text", { x: width - 10, y: y(totals.at(-1)) - 8, class: "number end" }, totals.at(-1)),
    marker,
    dot,
  );
  const boards = h("div", { class: "boards" });
  const said = h("p", { class: "said", role: "status" });
  const slider = h("input", { type: "range", min: 0, max: frames.length - 1, value: frames.length - 1, "aria-label": "Iteration", oninput: () => show(Number(slider.value)) });
  const button = h("button", { type: "button", onclick: () => (timer ? pause() : play()) }, "▶ Play");
  let timer = null;

  function show(number) {
    const { iteration, lost, seen } = frames[number];
    slider.value = number;
    for (const end of ["x1", "x2"]) marker.setAttribute(end, x(number));
    dot.setAttribute("cx", x(number));
    dot.setAttribute("cy", y(totals[number]));
    const when = iteration ? `After iteration ${iteration}` : "Before training";
    const detail = totals[number] ? `${counted(totals[number], "game")}: ${lost[0]} moving first, ${lost[1]} moving second` : "none";
    said.textContent = `${when}. Of all games that can be played against the network alone, without any search, it loses ${detail}.`;
    slider.setAttribute("aria-valuetext", said.textContent);
    boards.replaceChildren(
      ...seen.map(([policy, value], place) => {
        const words = `value ${signed(value)} for ${positions[place].replaceAll(".", "").length % 2 ? "O" : "X"}, to move`;
        return h("figure", {}, smallBoard(positions[place], policy, `${positions[place]}: ${words}`), h("figcaption", {}, words));
      }),
    );
  }

  function play() {
    if (Number(slider.value) === frames.length - 1) show(0);
    button.textContent = "❚❚ Pause";
    timer = setInterval(() => (Number(slider.value) < frames.length - 1 ? show(Number(slider.value) + 1) : pause()), 500);
  }

  function pause() {
    clearInterval(timer);
    timer = null;
    button.textContent = "▶ Play";
  }

  el.append(h("div", { class: "row" }, button, slider), said, h("div", { class: "pictures" }, curve, boards));
  show(frames.length - 1);
}

// --- the certificate -------------------------------------------------------------------------------------------------

/** Saves the picture as a file. */
function saveCertificate() {
  const picture = document.querySelector(".certificate svg").outerHTML;
  const href = URL.createObjectURL(new Blob([picture], { type: "image/svg+xml" }));
  h("a", { download: "certificate.svg", href }).click();
}

// --- a match ---------------------------------------------------------------------------------------------------------

/** Where the games of a match begin: after every two moves on a small board, else after every first move. */
function openingsOf(game) {
  const next = (lines) => lines.flatMap((line) => game.legal_actions(engine.after(game, line)).map((action) => [...line, action]));
  return game.rows * game.columns <= 9 ? next(next([[]])) : next([[]]);
}

/**
 * Every opening twice, each agent moving first once. Yields { score, games } after each game; games that were not drawn
 * are kept.
 */
function* playMatch(game, own, other) {
  const [score, games] = [[0, 0, 0], []];
  for (const opening of openingsOf(game)) {
    for (const side of [1, -1]) {
      const line = [...opening];
      let state = engine.after(game, line);
      while (!game.is_terminal(state)) {
        const action = (state.to_play === side ? own : other).act(state);
        line.push(action);
        state = game.play(state, action);
        yield null;
      }
      const result = state.winner * side;
      score[1 - result]++;
      if (result) games.push({ line, result, side });
      yield { score, games };
    }
  }
}

class Match {
  constructor(tables, name) {
    Object.assign(this, { tables, name, running: 0 });
    this.said = $("match-said");
    this.results = $("match-results");
    const chooser = $("match-file");
    chooser.addEventListener("change", () => chooser.files[0] && this.take(chooser.files[0]));
    window.addEventListener("dragover", (event) => event.preventDefault());
    window.addEventListener("drop", (event) => {
      event.preventDefault();
      if (event.dataTransfer.files[0]) this.take(event.dataTransfer.files[0]);
    });
  }

  async take(file) {
    const number = ++this.running;
    this.results.replaceChildren();
    $("match").scrollIntoView({ block: "nearest" });
    try {
      if (file.size > MOST) throw new Error("This file is larger than any agent's page.");
      const guest = readAgent(await file.text());
      const shared = this.tables.filter(({ game, data }) => guest.networks[game] && sameGame(guest.networks[game], data.agents[this.name]));
      if (!shared.length) throw new Error("These two agents have no game in common.");
      const label = agentOf(guest.name) === this.name ? `the other ${this.name}` : agentOf(guest.name);
      for (const table of shared) {
        table.invite(label, guest.networks[table.game]);
        await this.play(table, label, guest.networks[table.game], number);
      }
    } catch (error) {
      this.said.textContent = error.message;
    }
  }

  async play(table, label, data, number) {
    const simulations = Number($("match-strength").value);
    const agent = (network) => new engine.SearchAgent(table.rules, new engine.CachedNetwork(engine.load_network(network)), simulations);
    const total = 2 * openingsOf(table.rules).length;
    const list = h("div", { class: "games" });
    const words = h("p", {});
    this.results.append(words, list);
    let [last, since] = [null, performance.now()];
    for (const step of playMatch(table.rules, agent(table.data.agents[this.name]), agent(data))) {
      last = step ?? last;
      if (performance.now() - since < 30) continue;
      await later(0);
      if (number !== this.running) return;
      since = performance.now();
      this.said.textContent = `They play: game ${(last?.score ?? [0]).reduce((sum, count) => sum + count) + 1} of ${total} of ${GAMES[table.game]} ...`;
    }
    const [won, drawn, lost] = last.score;
    words.textContent = `${GAMES[table.game]}, ${total} games, ${simulations ? `${counted(simulations, "simulation")} for each move` : "without any search"}: ${this.name} won ${won}, drew ${drawn} and lost ${lost} against ${label}.`;
    this.said.textContent = "The match is over. On the board you can play against both now, or let them play each other.";
    for (const { line, result, side } of last.games.slice(0, SHOWN_GAMES)) {
      const title = `${result > 0 ? "Won" : "Lost"} as ${side > 0 ? "X" : "O"}`;
      list.append(h("button", { type: "button", onclick: () => (table.setUp(line), table.place.scrollIntoView({ block: "nearest" })) }, `${title}: ${line.join(", ")}`));
    }
  }
}

// --- the page --------------------------------------------------------------------------------------------------------

function openAgentPage({ tables, film }) {
  const agent = JSON.parse($("agent").textContent);
  const label = agentOf(agent.name);
  const opened = Object.entries(tables).map(([game, parts]) => {
    const agents = { [label]: agent.games[game], ...(parts.board.perfect ? { [PERFECT]: null } : {}) };
    return new Table(game, { ...parts, board: { ...parts.board, agents } }, label);
  });
  followAddress(opened[0]);
  if (film) showFilm(film, $("film"));
  $("save-certificate")?.addEventListener("click", saveCertificate);
  return { tables: opened, match: new Match(opened, label) };
}
