// A page without Python. What the components ask Python for in a notebook, they ask these models for: the board a
// `Session`, which asks the engine; the microscope recorded searches. `board` and `microscope` are the components.

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

/**
 * Puts a component with its data into an element: a board where the data have a game, else a microscope. Returns its
 * model, for tests to read.
 */
function bring(data, el) {
  const model = data.game ? new Session(data, new EngineOracle(data)) : new Model(data);
  (data.game ? board : microscope).render({ model, el });
  return model;
}

/** Puts the components where they belong. */
function openPage(data) {
  return Object.fromEntries(Object.entries(data).map(([name, its]) => [name, bring(its, document.getElementById(name))]));
}

/**
 * Loads the network of the agents when a place is nearly seen, and then lets the board come. Until then the place keeps
 * its picture.
 */
function whenNearlySeen(place, script, data, come) {
  const arrived = () => {
    for (const name of Object.keys(data.agents)) data.agents[name] = window.courseNetwork;
    come();
  };
  const seen = new IntersectionObserver(
    (entries) => {
      if (!entries.some((entry) => entry.isIntersecting)) return;
      seen.disconnect();
      document.head.append(h("script", { src: script, onload: arrived }));
    },
    { rootMargin: "300px" },
  );
  for (const element of document.querySelectorAll(place)) seen.observe(element);
}
