// The training dashboard: panels over the iterations, and the first board as the network of one of them saw it. `shown`
// is what `story` in dashboard.py returns. Dragging along the run changes `at`, which is also whom `player()` plays.

const DASHES = { solid: null, dashed: "7 4", dashdot: "8 3 2 3", dotted: "2 3" };
const LOST = "The kernel has stopped: this is the run as far as it came. Run the cell again to go on, or to play its agents.";
const OPEN = 2; // panels; the others are folded away
const [LEFT, RIGHT, TOP, BOTTOM] = [40, 10, 8, 24];

export default {
  render({ model, el }) {
    const board = new Dashboard(model, el);
    const redraw = () => board.draw();
    const answered = () => (board.asked = false, redraw());
    model.on("change:shown", redraw);
    model.on("change:at", redraw);
    model.on("change:training", answered);
    const observer = new ResizeObserver(redraw);
    observer.observe(board.panels);
    const stop = whenKernelIsLost(model, () => board.lose());
    return () => {
      stop();
      observer.disconnect();
      model.off("change:shown", redraw);
      model.off("change:at", redraw);
      model.off("change:training", answered);
    };
  },
};

class Dashboard {
  constructor(model, el) {
    this.model = model;
    this.words = h("h4", { role: "status" });
    this.bar = h("div", { class: "done" });
    this.slider = h("input", { type: "range", "aria-label": "iteration", oninput: () => this.pick(Number(this.slider.value)), onchange: () => this.tell() });
    this.where = h("span", { class: "where" });
    this.note = h("p", { class: "note", role: "status", hidden: true });
    this.latest = h("button", { type: "button", onclick: () => (this.slider.focus(), this.pick(-1), this.tell()) }, "Latest");
    this.pause = h("button", { type: "button", onclick: () => this.wish(this.model.get("training") === "paused" ? "go on" : "pause") });
    this.step = h("button", { type: "button", onclick: () => this.wish("step") }, "One iteration");
    this.panels = h("div", { class: "panels" });
    this.others = h("div", { class: "panels" });
    this.folded = h("summary");
    this.more = h("details", { class: "more", ontoggle: () => this.draw() }, this.folded, this.others);
    this.start = h("figure", { class: "start" });
    this.root = h("div", { class: "course-ui dashboard", role: "group", "aria-label": "training dashboard", tabindex: -1 },
      h("div", { class: "head" }, this.words, this.pause, this.step), this.note,
      h("div", { class: "progress", "aria-hidden": "true" }, this.bar),
      h("div", { class: "views" }, this.panels, this.start),
      h("div", { class: "along" }, this.where, this.slider, this.latest), this.more);
    keepKeys(this.root);
    el.append(this.root);
    this.draw();
  }

  get at() {
    const { done } = this.model.get("shown");
    const at = this.model.get("at");
    return at < 0 ? done : Math.min(at, done);
  }

  pick(at) {
    const { done, boards } = this.model.get("shown");
    const iteration = Math.min(Math.max(at, boards[0][0]), done);
    this.model.set("at", at < 0 || iteration === done ? -1 : iteration); // at the end it follows the run
    this.draw();
  }

  tell() {
    if (!this.lost) this.model.save_changes();
  }

  /** Ask for a pause, for one iteration, or to go on: done between two iterations. */
  async wish(what) {
    this.asked = true;
    this.draw();
    (await (this.comm ??= this.call())).send({ wish: what });
  }

  /** A way to the kernel beside the running cell: a comm on a subshell of its own. */
  async call() {
    const comm = kernelOf(this.model).createComm(this.model.get("ear"));
    if (comm.commsOverSubshells === "disabled") comm.commsOverSubshells = "perComm";
    await comm.subshellStarted;
    comm.open({});
    return comm;
  }

  /** The kernel is gone: the run can still be looked at. */
  lose() {
    this.lost = true;
    this.draw();
  }

  /** The buttons that hold the training, and what there is to say. */
  drawControls() {
    const training = this.lost ? "" : this.model.get("training");
    const paused = training === "paused";
    this.pause.hidden = training === "" || !kernelOf(this.model)?.supportsSubshells;
    this.step.hidden = !paused;
    this.pause.disabled = this.step.disabled = Boolean(this.asked);
    this.pause.textContent = paused ? "Go on" : this.asked ? "Pausing …" : "Pause";
    this.note.textContent = this.lost ? LOST : "";
    this.note.hidden = !this.lost;
  }

  draw() {
    const shown = this.model.get("shown");
    if (!shown.panels) return;
    const at = this.at;
    this.drawControls();
    if (this.words.textContent !== shown.words) this.words.textContent = shown.words;
    this.bar.style.width = `${(100 * shown.done) / shown.iterations}%`;
    [this.slider.min, this.slider.max] = [shown.boards[0][0], shown.done];
    this.slider.value = at;
    this.where.textContent = `iteration ${at}`;
    this.latest.disabled = at === shown.done;
    this.root.dataset.at = at;
    const [open, folded] = [shown.panels.slice(0, OPEN), shown.panels.slice(OPEN)];
    this.drawPanels(this.panels, open, OPEN, 200, at);
    this.more.hidden = !folded.length;
    this.folded.textContent = `more: ${folded.map(({ title }) => title.split(/[,:]/)[0]).join(", ")}`;
    this.drawPanels(this.others, folded, 3, 130, at);
    this.drawStart(shown, at);
  }

  /** Panels side by side, at most so many in a row, that fit into a box. */
  drawPanels(box, panels, most, height, at) {
    if (!box.clientWidth) return; // folded
    const columns = Math.max(1, Math.min(most, Math.floor((box.clientWidth + 12) / 240)));
    const width = Math.max(200, (box.clientWidth - 12 * (columns - 1)) / columns);
    box.style.gridTemplateColumns = `repeat(${columns}, minmax(0, 1fr))`;
    box.replaceChildren(...panels.map((panel) => this.panel(panel, this.model.get("shown"), at, width, height)));
  }

  panel(panel, shown, at, width, height) {
    const x = (iteration) => LEFT + ((width - LEFT - RIGHT) * iteration) / (shown.iterations + 0.6);
    const y = (value) => TOP + (height - TOP - BOTTOM) * (1 - (Math.min(value, panel.high) - panel.low) / (panel.high - panel.low));
    const picture = s("svg", { viewBox: `0 0 ${width} ${height}`, width, height, "aria-hidden": "true" });
    for (const tick of ticks(panel.low, panel.high)) {
      picture.append(s("path", { d: `M${LEFT} ${y(tick)}H${width - RIGHT}`, class: "grid" }), s("text", { x: LEFT - 6, y: y(tick) + 4, class: "y" }, number(tick)));
    }
    for (const tick of ticks(0, shown.iterations).filter(Number.isInteger)) picture.append(s("text", { x: x(tick), y: height - 7, class: "x" }, number(tick)));
    for (const [place, [, value]] of panel.marks.entries()) {
      picture.append(s("path", { d: `M${LEFT} ${y(value)}H${width - RIGHT}`, class: "mark", "stroke-dasharray": `2 ${3 + 3 * place}` }));
    }
    const floor = new Map();
    const step = (width - LEFT - RIGHT) / (shown.iterations + 0.6);
    const keys = panel.series.map((series) => {
      const points = series.points.filter(([, value]) => value !== null);
      const color = `var(--${series.color})`;
      if (series.style === "stack") {
        for (const [iteration, value] of points) {
          const base = floor.get(iteration) ?? 0;
          floor.set(iteration, base + value);
          picture.append(s("rect", { x: x(iteration) - step / 2 + 0.3, y: y(base + value), width: Math.max(step - 0.6, 0.4), height: y(base) - y(base + value), style: `fill:${color}` }));
        }
      } else if (series.style === "dots" || series.style === "crosses") {
        for (const [iteration, value] of points) picture.append(sign(series.style, x(iteration), y(value), color));
      } else {
        const line = points.map(([iteration, value], place) => `${place ? "L" : "M"}${x(iteration).toFixed(1)} ${y(value).toFixed(1)}`).join("");
        picture.append(s("path", { d: line, class: "line", style: `stroke:${color}`, "stroke-dasharray": DASHES[series.style] }));
        if (points.length === 1) picture.append(sign("dots", x(points[0][0]), y(points[0][1]), color));
      }
      const now = points.filter(([iteration]) => iteration <= at).at(-1);
      const here = !now || (series.style === "dots" || series.style === "crosses") && now[0] !== at ? "" : ` ${now[1].toFixed(panel.digits)}`;
      return [series.name, here, keyOf(series, color)];
    });
    picture.append(s("path", { d: `M${x(at)} ${TOP - 4}V${height - BOTTOM}`, class: "at" }));
    const legend = h("figcaption", {}, ...keys.map(([name, here, key]) => h("span", {}, key, ` ${name}`, h("b", {}, here))),
      ...panel.marks.map(([name, value], place) => h("span", { class: "faint" }, keyOf({ style: "mark", dash: `2 ${3 + 3 * place}` }, "var(--faint)"), ` ${name} ${value.toFixed(panel.digits)}`)));
    picture.addEventListener("pointerdown", (event) => {
      // now: it is drawn anew while it is dragged, and this one is nowhere then
      const left = picture.getBoundingClientRect().left + LEFT;
      const move = (moved) => this.pick(Math.round(((moved.clientX - left) / (width - LEFT - RIGHT)) * (shown.iterations + 0.6)));
      const up = () => (window.removeEventListener("pointermove", move), this.tell());
      window.addEventListener("pointermove", move);
      window.addEventListener("pointerup", up, { once: true });
      move(event);
    });
    const label = `${panel.title}, at iteration ${at}: ${keys.map(([name, here]) => `${name}${here}`.trim()).join(", ")}`;
    return h("figure", { role: "img", "aria-label": label, "data-panel": panel.title }, h("h5", {}, panel.title), picture, legend);
  }

  /** The start position as the network sees it: where it would move, and how it expects the game to end. */
  drawStart({ boards, rows, columns, cell_actions: actions }, at) {
    const [iteration, policy, value] = boards.filter(([number]) => number <= at).at(-1) ?? boards[0];
    const falls = new Set(actions).size < actions.length;
    const above = falls ? 0.6 : 0;
    const most = Math.max(...policy);
    const picture = s("svg", { viewBox: `-0.05 ${-0.05 - above} ${columns + 0.1} ${rows + 0.1 + above}`, width: 190, role: "img",
      "aria-label": `policy of the network of iteration ${iteration} at the start: ${policy.map((share, action) => `${action}: ${percent(share)}`).join(", ")}` });
    const shade = (column, row, share) => s("rect", { x: column, y: row, width: 1, height: 1, class: "share", style: `opacity:${(0.55 * share) / most}` });
    picture.append(s("rect", { x: 0, y: 0, width: columns, height: rows, class: "ground" }));
    policy.forEach((share, action) => {
      const place = falls ? (rows - 1) * columns + action : actions.indexOf(action);
      const [column, row] = [place % columns, Math.floor(place / columns)];
      picture.append(shade(column, row, share), s("text", { x: column + 0.5, y: falls ? -0.14 : row + 0.58, "font-size": falls ? 0.4 : 0.25, class: "number" }, falls ? percent(share).replace("%", "") : percent(share)));
    });
    for (let column = 0; column <= columns; column++) picture.append(s("path", { d: `M${column} 0v${rows}`, class: "cell" }));
    for (let row = 0; row <= rows; row++) picture.append(s("path", { d: `M0 ${row}h${columns}`, class: "cell" }));
    const bar = s("svg", { viewBox: "-105 0 210 16", width: 190, height: 16, "aria-hidden": "true" },
      s("rect", { x: -105, y: 2, width: 210, height: 12, class: "ground" }),
      s("rect", { x: 105 * Math.min(value, 0), y: 2, width: 105 * Math.abs(value), height: 12, class: value < 0 ? "second" : "first" }),
      s("path", { d: "M0 0v16", class: "at" }));
    this.start.replaceChildren(h("h5", {}, `iteration ${iteration}, no search`), picture, bar, h("figcaption", {}, `${falls ? "above: its policy in %; " : ""}it expects ${signed(value)} for X`));
  }
}

/**
 * JupyterLab's connection to the kernel; elsewhere there is none to be had, and the training is held by interrupting
 * it.
 */
const kernelOf = (model) => model.widget_manager?.context?.sessionContext?.session?.kernel;

function sign(style, x, y, color) {
  if (style === "dots") return s("circle", { cx: x, cy: y, r: 4, style: `fill:${color}` });
  return s("path", { d: `M${x - 4} ${y - 4}l8 8m0 -8l-8 8`, style: `stroke:${color};stroke-width:2.4` });
}

/** A piece of the line, or a sign, as in the picture. */
function keyOf({ style, dash }, color) {
  const key = s("svg", { width: 24, height: 12, "aria-hidden": "true" });
  if (style === "stack") key.append(s("rect", { x: 6, y: 0, width: 12, height: 12, style: `fill:${color}` }));
  else if (style === "dots" || style === "crosses") key.append(sign(style, 12, 6, color));
  else key.append(s("path", { d: "M0 6h24", class: style === "mark" ? "mark" : "line", style: `stroke:${color}`, "stroke-dasharray": dash ?? DASHES[style] }));
  return key;
}

/** Round numbers from low to high, four or five of them. */
function ticks(low, high) {
  const rough = (high - low) / 4;
  const power = 10 ** Math.floor(Math.log10(rough));
  const step = power * [1, 2, 2.5, 5, 10].find((factor) => factor * power >= rough);
  const numbers = [];
  for (let tick = Math.ceil(low / step - 1e-9) * step; tick <= high + 1e-9; tick += step) numbers.push(Number(tick.toFixed(10)));
  return numbers;
}

const number = (value) => (value >= 1000 ? `${value / 1000}k` : String(value)).replace("-", "−");
