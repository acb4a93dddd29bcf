// Two searches in step, each in a microscope of its own: yours and the right one, stopped where they part. It stands
// behind the microscope's module, of which it uses the class.

class Compared {
  constructor(model, el) {
    this.model = model;
    this.box = h("div", { class: "compared course-ui" });
    this.open = h("button", { type: "button", "aria-expanded": "false", onclick: () => this.toggle() }, "▶ Watch it");
    this.inside = h("div", { hidden: true });
    this.box.append(this.open, this.inside);
    keepKeys(this.box);
    el.append(this.box);
  }

  remove() {
    for (const scope of this.scopes ?? []) scope.remove();
  }

  toggle() {
    this.inside.hidden = !this.inside.hidden;
    this.open.setAttribute("aria-expanded", String(!this.inside.hidden));
    this.open.replaceChildren(this.inside.hidden ? "▶ Watch it" : "▼ Hide it");
    if (!this.scopes) this.build();
  }

  build() {
    const button = (name, label, onclick) => h("button", { type: "button", "aria-label": name, title: name, onclick }, label);
    this.said = h("p", { class: "parting" });
    this.where = h("span", { class: "where", role: "status" });
    this.inside.append(
      this.said,
      h("div", { class: "bar" },
        button("To the start", "|◀", () => this.go(0)), button("One step back", "◀", () => this.go(this.at - 1)),
        button("One step on", "▶", () => this.go(this.at + 1)), button("To the end", "▶|", () => this.go(Infinity)),
        button("To where they part", "Where they part", () => this.go(this.parting)), this.where),
    );
    const panes = h("div", { class: "panes" });
    this.inside.append(panes);
    this.scopes = this.model.get("sides").map((side) => {
      const pane = h("section", { class: side.name, "aria-label": side.name === "yours" ? "your search" : "the right search" });
      const place = h("div");
      pane.append(h("h4", {}, side.name === "yours" ? "Yours" : "Right"), place);
      panes.append(pane);
      return new Microscope(alone(side), place);
    });
    this.last = Math.max(...this.scopes.map(({ moments }) => moments.length)) - 1;
    this.places = this.findParting();
    this.parting = Math.max(...this.places);
    const { said, simulation, phase } = this.model.get("apart");
    this.said.textContent = `They part ${simulation < 0 ? "at the root" : `in simulation ${simulation + 1}, ${phase}`}: ${said}.`;
    this.go(this.parting);
  }

  /** Where each of the two stands when they part. Up to there both have the same moments. */
  findParting() {
    const { simulation, phase, depth } = this.model.get("apart");
    return this.scopes.map(({ moments }) => {
      if (simulation < 0) return 0;
      const inside = (moment) => moment.simulation === simulation;
      const wanted = [(moment) => inside(moment) && moment.phase === phase && moment.depth === depth, (moment) => inside(moment) && moment.phase === phase, inside];
      return wanted.map((is) => moments.findIndex(is)).find((place) => place >= 0) ?? moments.length - 1;
    });
  }

  go(to) {
    this.at = Math.min(Math.max(to, 0), this.last);
    const apart = this.at === this.parting;
    // A walk that a wrong tree has cut short has fewer moments: both wait for each other before they part.
    this.scopes.forEach((scope, side) => {
      scope.pinned = null;
      scope.go(this.at < this.parting ? Math.min(this.at, Math.max(this.places[side] - 1, 0)) : this.at - this.parting + this.places[side]);
    });
    this.where.textContent = `step ${this.at + 1} of ${this.last + 1}${apart ? ": here they part" : ""}`;
    if (apart) this.mark();
  }

  /**
   * Mark the number that differs in both: in the table, and where it stands on the walk. Without one, the move that is
   * taken, or else the position.
   */
  mark() {
    const { field, action } = this.model.get("apart");
    for (const { root } of this.scopes) {
      const row = action === null ? null : root.querySelector(`.panel tr[data-action="${action}"]`);
      const places = [row?.querySelector(`td[data-term="${field}"]`)];
      if (field === "value" || field === "W") places.push(root.querySelector('.walk [aria-current="true"] .value'));
      if (!field) places.push(root.querySelector(".panel tr.taken th") ?? root.querySelector(".panel .position"));
      for (const place of places) place?.classList.add("parted");
    }
  }
}

/** What a microscope takes for its model: a single recording, and no kernel. */
function alone({ choice, recording }) {
  const values = { recordings: [{ choice, recording }], choice, agents: [choice.agent], said: "" };
  return { get: (name) => values[name], set: (name, value) => (values[name] = value), on() {}, off() {}, save_changes() {} };
}
