// The board. Python keeps the game and is the authority; this page draws what `view` says, answers a click at once with
// the stone that Python will confirm, and takes no other click until it has. A page without Python can give it a
// `model` of its own: get, on, off, send.

const MARK = { 1: "X", "-1": "O", 0: "" };
const CELL = 100; // the side of a square, in the drawing's own units
const ABOVE = 84; // where stones fall, the room above the board from which they do
const UNSEEN = 150; // ms after a change in which no click counts: it was made before the change could be seen
const PATIENCE = 1500; // ms without an answer, after which the page says that it waits for the kernel

function render({ model, el }) {
  const board = new Board(model);
  el.append(board.root);
  board.update();
  const changed = () => board.update();
  model.on("change:view", changed);
  const stop = whenKernelIsLost(model, () => board.lose());
  return () => {
    stop();
    model.off("change:view", changed);
    board.remove();
  };
}

class Board {
  constructor(model) {
    this.model = model;
    this.view = model.get("view");
    this.ply = this.view.at; // the number of moves after which one looks at the game; null: at its end
    this.pending = null; // what was sent and is not answered yet: { id, action }
    this.seen = 0; // when the latest position was drawn
    this.sent = 0;
    // of this page's messages: the same board may stand in two places
    this.name = Math.random().toString(36).slice(2, 8);
    this.lost = false;
    this.walking = true; // the arrow keys walk over the squares; after a click they go through the game
    this.focused = this.view.falls ? Math.floor(this.view.columns / 2) : Math.floor(this.squareCount() / 2);
    this.root = this.build();
    keepKeys(this.root);
  }

  // --- what it is made of --------------------------------------------------------------------------------------------

  build() {
    const { view } = this;
    this.status = h("div", { class: "status", role: "status", "aria-live": "polite" });
    this.note = h("div", { class: "note" });
    const button = (text, what, more = {}) => h("button", { type: "button", onclick: () => this.send(what, more) }, text);
    this.hintButton = button("Hint", "hint");
    this.buttons = h(
      "div",
      { class: "row" },
      button("New game", "new"),
      button("Undo", "undo"),
      this.hintButton,
      button("Switch sides", "swap"),
      ...view.extra.map(({ action, name }) => {
        const extra = h("button", { type: "button", onclick: (event) => this.play(action, event) }, name);
        extra.dataset.action = action;
        return extra;
      }),
    );
    this.runButton = h("button", { type: "button", onclick: () => this.send(this.view.running ? "pause" : "run") });
    this.speed = h("select", { "aria-label": "Speed", title: "speed", onchange: () => this.send("speed", { speed: this.speed.value }) });
    this.speed.append(...Object.keys(view.speeds).map((speed) => h("option", {}, speed)));
    this.watching = h("span", { class: "watching" }, button("Next move", "step"), this.runButton, this.speed);
    const way = (name, sign, to) => h("button", { type: "button", "aria-label": name, title: name, onclick: () => this.look(to()) }, sign);
    this.back = [way("To the start", "|◀", () => 0), way("One move back", "◀", () => this.at - 1)];
    this.on = [way("One move on", "▶", () => this.at + 1), way("To the last move", "▶|", () => Infinity)];
    this.moves = h("ol", { class: "moves", "aria-label": "Moves" });
    this.lines = h("div", { class: "kept", role: "group", "aria-label": "Lines that were left" });
    this.tally = h("div", { class: "tally" });
    this.curve = h("div", { class: "curve" });
    this.players = [1, -1].map((side) =>
      this.select(`${MARK[side]} is`, view.choices, (name) => this.send("player", { side, name })),
    );
    this.strength = this.buildStrength();
    this.overlays = h("div", { class: "choices", role: "group", "aria-label": "Show on the squares" });
    for (const kind of view.overlays) {
      this.overlays.append(
        h("button", { type: "button", "data-kind": kind, onclick: () => this.send("overlay", { kind }) }, kind),
      );
    }
    this.valueBox = this.checkbox("value", (on) => this.send("value", { on }));
    this.mistakesBox = this.checkbox("mistakes", (on) => this.send("mistakes", { on }));
    this.analyzed = h("span", { class: "analyzed" });
    this.position = h("input", { type: "text", "aria-label": "Position, as a list of actions", placeholder: view.example, oninput: () => (this.typed = true) });
    const setUp = (event) => {
      event.preventDefault();
      this.send("set_up", { text: this.position.value });
    };
    return h(
      "div",
      { class: "course-ui board", tabindex: -1, onkeydown: (event) => this.leaf(event), onkeyup: (event) => event.key === "Tab" && (this.walking = true), onpointerdown: () => (this.walking = false) },
      h(
        "div",
        { class: "table" },
        h("div", { class: "left" }, h("div", { class: "stage" }, (this.bar = this.buildBar()), (this.svg = this.buildSvg())), this.tally, this.curve),
        h(
          "div",
          { class: "panel" },
          this.status,
          this.buttons,
          h("div", { class: "row" }, h("span", { class: "ways" }, ...this.back, ...this.on), this.watching),
          this.moves,
          this.lines,
          this.note, // what may grow stands below what is clicked in a game
          (this.settings = h(
            "div",
            { class: "settings" },
            ...this.players.map((player) => player.label),
            this.strength.label,
            h("div", { class: "row" }, h("span", { class: "name" }, "Show"), this.overlays),
            h("div", { class: "row" }, this.valueBox.label, this.mistakesBox.label, this.analyzed),
            h(
              "form",
              { class: "row", onsubmit: setUp },
              h("span", { class: "name" }, "Position"),
              this.position,
              h("button", { type: "button", onclick: () => this.copy() }, "Copy"),
              h("button", { type: "submit" }, "Set up"),
            ),
          )),
        ),
      ),
    );
  }

  select(name, options, changed) {
    const input = h("select", { onchange: () => changed(input.value) });
    input.append(...options.map((option) => h("option", { value: option }, option)));
    return { input, label: h("label", {}, h("span", { class: "name" }, name), input) };
  }

  checkbox(name, changed) {
    const input = h("input", { type: "checkbox", onchange: () => changed(input.checked) });
    return { input, label: h("label", {}, input, ` ${name}`) };
  }

  buildStrength() {
    const input = h("input", { type: "range", min: 0, step: 1, "aria-label": "Strength" });
    const words = h("span", { class: "words" });
    const tell = () => {
      const step = this.view.strength.steps[input.value];
      const count = step.simulations === 0 ? "the network alone" : counted(step.simulations, "simulation");
      words.textContent = `${step.name}: ${count}`;
      input.setAttribute("aria-valuetext", words.textContent);
    };
    input.addEventListener("input", tell);
    input.addEventListener("change", () =>
      this.send("strength", { simulations: this.view.strength.steps[input.value].simulations }),
    );
    return { input, tell, label: h("label", { class: "strength" }, h("span", { class: "name" }, "Strength"), input, words) };
  }

  buildBar() {
    this.fill = h("div", { class: "fill" });
    this.reading = h("div", { class: "reading" });
    return h("div", { class: "bar", role: "img" }, h("div", { class: "tube" }, this.fill), this.reading);
  }

  buildSvg() {
    const { rows, columns, falls } = this.view;
    const top = falls ? ABOVE : 6;
    const below = falls ? 34 : 6;
    const box = [-6, -top, columns * CELL + 12, rows * CELL + top + below];
    this.hole = (column, row) => [column * CELL + CELL / 2, row * CELL + CELL / 2];
    this.lane = s("rect", { class: "lane", y: 0, width: CELL, height: rows * CELL });
    this.ghost = s("g", { class: "ghost" });
    this.back_ = s("g", {});
    this.stones = s("g", { class: "stones" });
    this.shares = s("g", { class: "shares" });
    this.under = s("g", {});
    this.marks = s("g", { class: "marks" });
    const grid = s("g", { role: "grid", class: "squares" });
    this.squares = [];
    for (let row = 0; row < rows; row++) {
      const line = s("g", { role: "row" });
      for (let column = 0; column < columns; column++) {
        const number = row * columns + column;
        const square = s("rect", {
          role: "gridcell",
          tabindex: -1,
          x: column * CELL,
          y: row * CELL,
          width: CELL,
          height: CELL,
          onclick: (event) => this.play(this.view.action_at[number], event, number),
          onpointerenter: () => this.point(number),
          onfocus: () => this.focus(number, false),
        });
        this.squares.push(square);
        line.append(square);
      }
      grid.append(line);
    }
    this.grid = grid;
    grid.addEventListener("keydown", (event) => this.key(event));
    const hidden = { "aria-hidden": "true" };
    const svg = s(
      "svg",
      { viewBox: box.join(" "), class: falls ? "falls" : "flat", style: `--columns: ${columns}` },
      s("g", hidden, this.ground(), this.back_, falls ? this.lane : this.numbers(), this.ghost, this.under, this.stones, falls ? this.plate() : this.squaresFrame()),
      s("g", hidden, this.shares, this.marks, falls ? this.numbers() : null),
      grid,
    );
    svg.addEventListener("pointerleave", () => this.point(null));
    return svg;
  }

  ground() {
    const { rows, columns } = this.view;
    return s("rect", { class: "ground", width: columns * CELL, height: rows * CELL, rx: this.view.falls ? 16 : 6 });
  }

  squaresFrame() {
    const { rows, columns } = this.view;
    const path = [];
    for (let x = 1; x < columns; x++) path.push(`M${x * CELL} 0V${rows * CELL}`);
    for (let y = 1; y < rows; y++) path.push(`M0 ${y * CELL}H${columns * CELL}`);
    const frame = s("rect", { class: "frame", width: columns * CELL, height: rows * CELL, rx: 6 });
    return s("g", {}, s("path", { class: "lines", d: path.join("") }), frame, ...(this.view.hexagonal ? this.hexagonal() : []));
  }

  // which cells touch across a corner, and whose sides are whose
  hexagonal() {
    const [right, down] = [this.view.columns * CELL, this.view.rows * CELL];
    const bridges = [];
    for (let x = CELL; x < right; x += CELL) for (let y = CELL; y < down; y += CELL) bridges.push(`M${x + 15} ${y - 15}L${x - 15} ${y + 15}`);
    return [
      s("path", { class: "bridges", d: bridges.join("") }),
      s("path", { class: "side x", d: `M0 0H${right}M0 ${down}H${right}` }),
      s("path", { class: "side o", d: `M0 0V${down}M${right} 0V${down}` }),
    ];
  }

  plate() {
    const { rows, columns } = this.view;
    const width = columns * CELL;
    const height = rows * CELL;
    const path = [`M16 0H${width - 16}Q${width} 0 ${width} 16V${height - 16}Q${width} ${height} ${width - 16} ${height}H16Q0 ${height} 0 ${height - 16}V16Q0 0 16 0Z`];
    for (let row = 0; row < rows; row++)
      for (let column = 0; column < columns; column++) {
        const [x, y] = this.hole(column, row);
        path.push(`M${x - 40} ${y}a40 40 0 1 0 80 0a40 40 0 1 0 -80 0Z`);
      }
    return s("path", { class: "plate", d: path.join(""), "fill-rule": "evenodd" });
  }

  /** What sentences call the squares: the column below each, or a number in the corner. */
  numbers() {
    const { rows, columns, falls, names, action_at } = this.view;
    const number = (square, x, y) => s("text", { x, y, "font-size": falls ? 26 : Math.min(30, 6 * columns) }, names[action_at[square]]);
    if (falls) return s("g", { class: "numbers" }, ...Array.from({ length: columns }, (_, column) => number(column, column * CELL + CELL / 2, rows * CELL + 30)));
    return s("g", { class: "numbers corner" }, ...action_at.map((_, square) => number(square, (square % columns) * CELL + 6, Math.floor(square / columns) * CELL + 6)));
  }

  stone(side, [x, y], more = {}) {
    const place = s("g", { transform: `translate(${x} ${y})` });
    const shape = s("g", { class: `stone ${side > 0 ? "x" : "o"}`, ...more });
    if (this.view.falls) {
      shape.append(s("circle", { class: "disc", r: 43 }));
      shape.append(side > 0 ? s("path", { class: "sign", d: "M-14 -14L14 14M14 -14L-14 14" }) : s("circle", { class: "sign", r: 16 }));
    } else {
      shape.append(side > 0 ? s("path", { class: "stroke", d: "M-27 -27L27 27M27 -27L-27 27" }) : s("circle", { class: "stroke", r: 29 }));
    }
    place.append(shape);
    return place;
  }

  // --- what a person does --------------------------------------------------------------------------------------------

  /** A click or Enter on a square, or on the button of an action without one. */
  play(action, event, number) {
    if (number !== undefined) this.focus(number, event.type === "click");
    if (event.detail > 1 || !this.open() || performance.now() - this.seen < UNSEEN) return;
    const place = this.view.landing[action];
    if (place === undefined) {
      this.say(this.view.refusals[action] ?? "That can't be played here: choose another square.");
      return;
    }
    this.send("play", { action, version: this.view.version });
    this.pending.action = action;
    this.draw();
  }

  /** Whether a click on a square may be a move. */
  open() {
    return this.view.yours && !this.pending && !this.lost && this.here;
  }

  /** Whether what Python says is about the position on show. */
  get here() {
    return this.ply === this.view.at;
  }

  /** After how many moves is the position on show. */
  get at() {
    return this.ply ?? this.view.actions.length;
  }

  send(what, more = {}) {
    if (this.lost) {
      this.say();
      return;
    }
    const id = `${this.name}-${++this.sent}`;
    this.pending = { id, action: null, at: performance.now() };
    this.model.send({ do: what, id, ...more });
    this.showBusy();
    clearTimeout(this.waiting);
    this.waiting = setTimeout(() => this.say(), PATIENCE);
  }

  /** While an answer of Python's is awaited, no click is a move. */
  showBusy() {
    this.root.setAttribute("aria-busy", String(this.pending !== null));
  }

  key(event) {
    const { rows, columns, falls } = this.view;
    let row = Math.floor(this.focused / columns);
    let column = this.focused % columns;
    if (event.ctrlKey || event.metaKey || event.altKey || runsTheCell(event)) return;
    if (event.key in this.leaves() && !this.walking) return;
    this.walking = true;
    if (event.key === "ArrowLeft") column = Math.max(0, column - 1);
    else if (event.key === "ArrowRight") column = Math.min(columns - 1, column + 1);
    else if (event.key === "ArrowUp") row = Math.max(0, row - 1);
    else if (event.key === "ArrowDown") row = Math.min(rows - 1, row + 1);
    else if (event.key === "Home") column = 0;
    else if (event.key === "End") column = columns - 1;
    else if (event.key === "Enter" || event.key === " ") {
      event.preventDefault();
      if (!event.repeat) this.play(this.view.action_at[this.focused], event, this.focused);
      return;
    } else if (/^\d$/.test(event.key)) {
      const digit = Number(event.key);
      if (digit >= (falls ? columns : rows * columns)) return;
      if (falls) column = digit;
      else [row, column] = [Math.floor(digit / columns), digit % columns];
    } else return;
    event.preventDefault();
    this.focus(row * columns + column, true);
  }

  focus(number, move) {
    this.squares[this.focused].setAttribute("tabindex", -1);
    this.focused = number;
    this.squares[number].setAttribute("tabindex", 0);
    if (move && focusNear(this.root) !== this.squares[number]) this.squares[number].focus({ preventScroll: true });
    this.point(number);
  }

  /** Show where a stone would go: the column under the pointer, and above it the stone. */
  point(number) {
    this.ghost.replaceChildren();
    this.lane.classList.toggle("on", number !== null);
    if (number === null) return;
    const { columns, falls, landing, to_play } = this.view;
    this.lane.setAttribute("x", (number % columns) * CELL);
    const place = landing[this.view.action_at[number]];
    if (!place || !this.open() || (!falls && this.view.overlay)) return;
    const where = falls ? [(number % columns) * CELL + CELL / 2, -ABOVE / 2] : this.hole(place[1], place[0]);
    this.ghost.append(this.stone(to_play, where));
  }

  /** Which key goes to which move of the game. */
  leaves() {
    return { ArrowLeft: this.at - 1, ArrowRight: this.at + 1, ArrowUp: 0, Home: 0, ArrowDown: Infinity, End: Infinity };
  }

  leaf(event) {
    const ply = this.leaves()[event.key];
    if (ply === undefined || event.defaultPrevented || event.ctrlKey || event.metaKey || event.altKey || event.target.matches("select, input:not([type=checkbox])")) return;
    event.preventDefault();
    this.look(ply);
  }

  /** Show the position after so many moves. */
  look(ply) {
    const last = this.view.actions.length;
    ply = Math.max(0, Math.min(ply, last));
    if (ply === this.at) return;
    this.ply = ply === last ? null : ply;
    this.seen = performance.now();
    if (!this.lost) this.send("look", { ply: this.ply }); // null: the end, wherever it is when this arrives
    this.draw();
    this.say();
  }

  copy() {
    this.position.select();
    document.execCommand("copy"); // also where the page has no right to the clipboard
    this.say(`Copied: ${this.position.value}`);
  }

  // --- what it shows -------------------------------------------------------------------------------------------------

  /** Python has said something new. */
  update() {
    const before = this.view;
    this.view = this.model.get("view");
    if (this.pending && (this.view.heard[this.name] ?? 0) >= Number(this.pending.id.split("-")[1])) {
      this.pending = null;
      this.showBusy();
      clearTimeout(this.waiting);
    }
    if (this.view.version !== before.version) {
      this.seen = performance.now();
      this.typed = false;
    }
    if (!this.pending || this.ply >= this.view.actions.length) this.ply = this.view.at;
    this.draw();
    this.drawSettings();
    this.say();
  }

  squareCount() {
    return this.view.rows * this.view.columns;
  }

  /** What stands on each square: 1, -1 or 0, with a stone that was clicked and is not confirmed yet. */
  cells() {
    const { positions, landing, to_play, columns } = this.view;
    const cells = [...positions[this.ply ?? positions.length - 1]].map((mark) => ({ X: 1, O: -1, ".": 0 })[mark]);
    const place = this.here && this.pending?.action != null && landing[this.pending.action];
    if (place) cells[place[0] * columns + place[1]] = to_play;
    return cells;
  }

  draw() {
    const { view } = this;
    const cells = this.cells();
    const ply = this.at;
    const latest = ply > 0 ? view.places[ply - 1] : null;
    const ended = ply === view.actions.length && view.line.length > 0;
    const winning = new Set(ended ? view.line.flat().map(([row, column]) => row * view.columns + column) : []);
    this.drawStones(cells, winning);
    this.back_.replaceChildren();
    this.under.replaceChildren();
    this.marks.replaceChildren();
    if (latest && !(this.pending?.action != null)) {
      const [x, y] = this.hole(latest[1], latest[0]);
      if (view.falls) this.marks.append(s("circle", { class: "latest", cx: x, cy: y, r: 40 }));
      else this.back_.append(s("rect", { class: "latest", x: x - 50, y: y - 50, width: CELL, height: CELL }));
    }
    for (const line of ended ? view.line : []) {
      const ends = line.map(([row, column]) => this.hole(column, row));
      if (view.falls) this.marks.append(...ends.map(([cx, cy]) => s("circle", { class: "latest", cx, cy, r: 40 })));
      else this.under.append(s("path", { class: "line", d: `M${ends[0]}L${ends.at(-1)}` }));
    }
    const shares = this.drawShares(cells);
    if (view.hint !== null && this.here && !this.pending && view.landing[view.hint]) {
      const [row, column] = view.landing[view.hint];
      const [x, y] = this.hole(column, row);
      this.marks.append(s("circle", { class: "hint", cx: x, cy: y, r: 36 }));
    }
    const busy = this.thinking();
    this.grid.setAttribute("aria-label", `${view.title}: ${view.rows} rows, ${view.columns} columns`);
    this.grid.setAttribute("aria-busy", busy);
    this.root.classList.toggle("busy", busy);
    this.root.classList.toggle("open", this.open());
    this.squares.forEach((square, number) => {
      const [row, column] = [Math.floor(number / view.columns), number % view.columns];
      const place = latest && latest[0] === row && latest[1] === column;
      const name = view.names[view.action_at[number]];
      const where = view.falls ? [`column ${name}`, `row ${row + 1}`] : [`cell ${name}: row ${row + 1}`, `column ${column + 1}`];
      const words = [...where, MARK[cells[number]] || "free"];
      if (place) words.push("the latest move");
      if (winning.has(number)) words.push("part of the winning line");
      if (shares[number]) words.push(shares[number]);
      square.setAttribute("aria-label", words.join(", "));
      square.setAttribute("tabindex", number === this.focused ? 0 : -1);
    });
    for (const extra of this.buttons.querySelectorAll("[data-action]"))
      extra.disabled = !this.open() || view.landing[extra.dataset.action] === undefined;
    this.drawMoves();
    this.drawLines();
    this.drawValue();
    this.tally.textContent = view.tally;
    for (const button of this.back) button.setAttribute("aria-disabled", ply === 0);
    for (const button of this.on) button.setAttribute("aria-disabled", this.ply === null);
    if (!this.typed && focusNear(this.root) !== this.position) this.position.value = `[${view.actions.slice(0, ply).join(", ")}]`;
    if (!this.open()) this.ghost.replaceChildren();
  }

  drawStones(cells, winning) {
    const falls = this.view.falls;
    if (!this.drawn) this.drawn = new Map();
    cells.forEach((side, number) => {
      const there = this.drawn.get(number);
      if (there && there.side !== side) {
        there.element.remove();
        this.drawn.delete(number);
      }
      if (side && !this.drawn.has(number)) {
        const [row, column] = [Math.floor(number / this.view.columns), number % this.view.columns];
        const distance = row * CELL + ABOVE;
        const fresh = this.ready ? ` fresh` : "";
        const style = `--fall: ${-distance}px; --time: ${Math.round(90 * Math.sqrt(distance / CELL) + 60)}ms`;
        const element = this.stone(side, this.hole(column, row), falls ? { style } : {});
        if (fresh) element.firstChild.classList.add("fresh");
        this.stones.append(element);
        this.drawn.set(number, { side, element });
      }
      if (side) this.drawn.get(number).element.classList.toggle("beside", winning.size > 0 && !winning.has(number));
    });
    this.ready = true;
  }

  /** Numbers on the free squares; returns what to say of each. */
  drawShares(cells) {
    const { overlay, landing, columns } = this.view;
    this.shares.replaceChildren();
    const said = {};
    if (!overlay || !this.here || this.thinking()) return said;
    const { kind, shares } = overlay;
    const ends = kind === "Q" || kind === "perfect";
    const worth = (share) => (kind === "perfect" ? Math.sign(share) : share); // for who moves
    const most = Math.max(...Object.values(shares).map(worth).map((number) => (kind === "perfect" ? number : Math.abs(number))), kind === "perfect" ? -1 : 1e-9);
    for (const [action, share] of Object.entries(shares)) {
      const place = landing[action];
      if (!place || share === null) continue;
      const [row, column] = place;
      const [x, y] = this.hole(column, row);
      const lines = kind === "perfect" ? ending(share) : [kind === "Q" ? signed(share) : percent(share)];
      const favored = !ends || worth(share) === 0 ? "share" : worth(share) * this.view.to_play > 0 ? "x" : "o";
      const strength = kind === "perfect" ? Math.abs(worth(share)) : ends ? Math.abs(share) : share / most;
      const shade = { class: `shade ${favored}`, "fill-opacity": (0.55 * Math.min(strength, 1)).toFixed(3) };
      if (this.view.falls) this.shares.append(s("circle", { ...shade, cx: x, cy: y, r: 40 }));
      else this.shares.append(s("rect", { ...shade, x: x - 49, y: y - 49, width: 98, height: 98 }));
      const long = lines.length > 1 || lines[0].length > 3; // "+0.31", "100%": smaller
      const words = lines.map((line, number) => s("tspan", { x, y: y + 8 + 25 * (number - (lines.length - 1) / 2) }, line));
      this.shares.append(s("text", { class: `${worth(share) === most ? "best" : ""} ${long ? "number" : ""}` }, ...words));
      said[row * columns + column] = kind === "perfect" ? lines.join(" ") : `${kind} ${lines[0]}`;
    }
    return said;
  }

  drawMoves() {
    const { view } = this;
    const ply = this.at;
    const items = [h("li", {}, this.moveButton(0, "start", ply === 0, ""))];
    view.actions.forEach((action, number) => {
      const side = view.movers[number];
      const verdict = view.verdicts[number];
      const label = `${MARK[side]} ${view.names[action]}`;
      const button = this.moveButton(number + 1, label, ply === number + 1, verdict?.mark ?? "");
      if (verdict?.words) button.setAttribute("title", verdict.words);
      if (verdict?.words) button.setAttribute("aria-label", `${label}: ${verdict.words}`);
      button.classList.add(side > 0 ? "x" : "o");
      items.push(h("li", {}, button));
    });
    const signature = JSON.stringify([view.actions, ply, view.verdicts]);
    if (signature !== this.movesDrawn) {
      this.drawItems(items);
      this.movesDrawn = signature;
      const current = this.moves.querySelector("[aria-current]");
      if (current && !this.moves.matches(":hover")) this.moves.scrollTop = current.parentElement.offsetTop - this.moves.offsetTop - 40;
    }
  }

  /** The lines that were left, to be taken up again. */
  drawLines() {
    const { lines } = this.view;
    const signature = JSON.stringify(lines);
    if (signature === this.linesDrawn) return;
    this.linesDrawn = signature;
    const buttons = lines.map(({ actions, words, after }) =>
      h("button", { type: "button", title: "Take up this line again", onclick: () => this.send("take_up", { actions }) }, `↶ ${words}`, h("small", {}, after ? ` after move ${after}` : " from the start")),
    );
    refill(this.lines, buttons, this.moves.querySelector("[aria-current]"));
  }

  /** Those that stay the same stay what they are: a button that is replaced while it is held down hears no click. */
  drawItems(items) {
    const before = [...this.moves.children];
    const focused = before.findIndex((item) => item.contains(focusNear(this.root)));
    items.forEach((item, number) => {
      item.drawn = item.innerHTML; // as it is now: the focus leaves marks of its own
      const there = before[number];
      if (!there) this.moves.append(item);
      else if (there.drawn !== item.drawn) there.replaceWith(item);
    });
    for (const gone of before.slice(items.length)) gone.remove();
    if (focused >= 0 && !this.moves.contains(focusNear(this.root)))
      this.moves.children[Math.min(focused, items.length - 1)].firstChild.focus({ preventScroll: true });
  }

  moveButton(ply, label, current, mark) {
    const button = h("button", { type: "button", onclick: () => this.look(ply) }, label);
    if (mark) button.append(h("b", {}, ` ${mark}`));
    if (current) button.setAttribute("aria-current", "true");
    return button;
  }

  /** The bar and the curve: what the adviser thinks of the position, always for the first player. */
  drawValue() {
    const { values, shows_value, valued_by } = this.view;
    this.bar.classList.toggle("off", !shows_value); // its place stays
    this.curve.hidden = !shows_value;
    if (!shows_value) return;
    const ply = this.at;
    const value = values[ply];
    const known = value !== null && value !== undefined;
    if (known) this.fill.style.height = `${50 + 50 * Math.max(-1, Math.min(1, value))}%`; // until then as it was
    this.reading.textContent = known ? signed(value) : this.view.valued_why ? "–" : "…";
    this.bar.setAttribute("aria-label", known ? `value for X: ${signed(value)}, says ${valued_by}` : `value for X: not known yet`);
    const [width, height] = [300, 84];
    const steps = Math.max(values.length - 1, this.view.falls ? 14 : 9);
    const left = 50;
    const x = (number) => left + ((width - left - 8) * number) / steps;
    const y = (value) => height / 2 - value * (height / 2 - 8);
    const points = values.map((one, number) => (one === null ? null : [x(number), y(one)])).filter(Boolean);
    const words = values.map((value) => (value === null ? "?" : signed(value))).join(", ");
    const picture = s(
      "svg",
      { viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": `value for X after each move: ${words}` },
      s("rect", { class: "above", width, height: height / 2 }),
      s("rect", { class: "below", y: height / 2, width, height: height / 2 }),
      s("path", { class: "middle", d: `M${left - 8} ${height / 2}H${width}` }),
      s("path", { class: "now", d: `M${x(ply)} 4V${height - 4}` }),
      s("text", { x: 5, y: 14 }, "X wins"),
      s("text", { x: 5, y: height / 2 + 4 }, "draw"),
      s("text", { x: 5, y: height - 6 }, "O wins"),
      points.length > 1 ? s("path", { class: "course", d: `M${points.map((point) => point.join(" ")).join("L")}` }) : null,
      ...points.map(([px, py]) => s("circle", { class: "dot", cx: px, cy: py, r: 3 })),
      known ? s("circle", { class: "dot big", cx: x(ply), cy: y(value), r: 5 }) : null,
    );
    picture.addEventListener("click", (event) => {
      const at = ((event.clientX - picture.getBoundingClientRect().left) / picture.getBoundingClientRect().width) * width;
      this.look(Math.max(0, Math.min(this.view.actions.length, Math.round(((at - left) / (width - left - 8)) * steps))));
    });
    this.curve.replaceChildren(picture, h("div", { class: "caption" }, this.view.valued_why ? `${valued_by} could not say the value (${this.view.valued_why}).` : `Value for X, says ${valued_by}`));
  }

  drawSettings() {
    const { view } = this;
    if (this.pending) return; // what was chosen a moment ago is not yet in the view
    [1, -1].forEach((side, place) => (this.players[place].input.value = view.players[side]));
    this.strength.label.hidden = !view.strength;
    if (view.strength && focusNear(this.root) !== this.strength.input) {
      this.strength.input.max = view.strength.steps.length - 1;
      this.strength.input.value = view.strength.steps.findIndex((step) => step.simulations === view.strength.simulations);
    }
    if (view.strength) this.strength.tell();
    for (const button of this.overlays.children) button.setAttribute("aria-pressed", button.dataset.kind === view.shows);
    this.valueBox.input.checked = view.shows_value;
    this.mistakesBox.input.checked = view.shows_mistakes;
    if (!view.watching && this.watching.contains(focusNear(this.root))) this.squares[this.focused].focus({ preventScroll: true });
    this.watching.classList.toggle("off", !view.watching);
    this.watching.classList.toggle("all", !Object.values(view.players).includes(view.choices[0])); // no player is human
    this.analyzed.textContent = view.analyzed;
    this.runButton.textContent = view.running ? "Pause" : "Run";
    this.speed.value = view.speed;
    this.hintButton.setAttribute("aria-disabled", view.to_play === 0 || view.thinking !== "");
  }

  thinking() {
    return this.view.thinking !== "" || this.pending?.action != null;
  }

  /**
   * The line of words: what Python says, what is looked at, or why nothing happens. A screen reader hears each change.
   */
  say(words) {
    const { view, pending } = this;
    let text = words ?? view.message;
    if (this.lost) text = "The kernel has stopped: the game can still be looked at. Run the cell again to bring the board to life.";
    else if (words) text = words;
    else if (pending && performance.now() - pending.at > PATIENCE - 50) text = "Waiting for the kernel … If it was restarted, run the cell again.";
    else if (!this.here) text = `After move ${this.at} of ${view.actions.length}.`;
    if (this.status.textContent !== text) this.status.textContent = text;
    const ply = this.at;
    const verdict = view.verdicts[ply - 1]?.words;
    const notes = [verdict ? `${MARK[view.movers[ply - 1]]} ${view.names[view.actions[ply - 1]]} is ${verdict}.` : "", view.overlay && this.here ? view.overlay.said : ""];
    this.note.textContent = notes.filter(Boolean).join(" ");
  }

  /** The kernel is gone: from now on the board is a picture, whose moves can still be looked at. */
  lose() {
    this.lost = true;
    this.pending = null;
    const asking = [this.buttons, this.watching, this.lines, this.settings];
    if (asking.some((box) => box.contains(focusNear(this.root)))) this.squares[this.focused].focus({ preventScroll: true });
    for (const box of asking) box.hidden = true;
    this.showBusy();
    this.root.classList.add("lost");
    this.draw();
    this.say();
  }

  remove() {
    clearTimeout(this.waiting);
  }
}

/** "wins in 5", in two lines; of 0 a draw. */
function ending(plies) {
  return plies ? [plies > 0 ? "wins" : "loses", `in ${Math.abs(plies)}`] : ["draw"];
}

export default { render };
