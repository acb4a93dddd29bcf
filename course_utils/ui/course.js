// What every component may call. It stands in front of the component's own module, so it exports nothing.

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element: h("button", { class: "new", onclick: f }, "New game", ...). Properties that begin with "on" listen; null
 * is left out.
 */
function h(tag, attributes = {}, ...children) {
  return filled(document.createElement(tag), attributes, children);
}

/** The same for what stands inside an <svg>. */
function s(tag, attributes = {}, ...children) {
  return filled(document.createElementNS(SVG, tag), attributes, children);
}

function filled(element, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

/** What has the focus, on the page or in the shadow tree that an element stands in. */
const focusNear = (element) => element.getRootNode().activeElement;

/** Replace what stands in a box. The focus stays on what comes to stand in its place, or goes to `otherwise`. */
function refill(box, children, otherwise = null) {
  const places = () => [...box.querySelectorAll("button, [tabindex]")];
  const focused = places().indexOf(focusNear(box));
  box.replaceChildren(...children.filter((child) => child !== null));
  if (focused >= 0) (places()[Math.min(focused, places().length - 1)] ?? otherwise)?.focus({ preventScroll: true });
}

/** "+0.31" or "−0.31", with a true minus sign; "0.00" without any. */
function signed(value) {
  return Math.abs(value) < 0.005 ? "0.00" : (value > 0 ? "+" : "−") + Math.abs(value).toFixed(2);
}

/** "37%", or "<1%" for what would round to nothing. */
function percent(share) {
  return share > 0 && share < 0.005 ? "<1%" : `${Math.round(100 * share)}%`;
}

/** "1 simulation", "1,000 simulations". */
function counted(number, what) {
  return `${number.toLocaleString("en")} ${what}${number === 1 ? "" : "s"}`;
}

/** Whether a key is Jupyter's: Shift+Enter, Ctrl+Enter and Alt+Enter run the cell, wherever in it the focus is. */
const runsTheCell = (event) => event.key === "Enter" && (event.shiftKey || event.ctrlKey || event.metaKey || event.altKey);

/**
 * No other key that is pressed inside reaches JupyterLab, whose shortcuts would cut the cell. Notebook 7 hears it
 * before `element` does, but not where the focus has this attribute.
 */
function keepKeys(element) {
  const mark = (event) => element.contains(event.target) && event.target.toggleAttribute("data-lm-suppress-shortcuts", !runsTheCell(event));
  element.addEventListener("keydown", (event) => runsTheCell(event) || event.stopPropagation());
  element.addEventListener("focusin", () => window.addEventListener("keydown", mark, true));
  element.addEventListener("focusout", () => window.removeEventListener("keydown", mark, true));
}

/** Calls `lost()` when the kernel has been restarted or has ended, so no answer will come. Returns a function that stops it. */
function whenKernelIsLost(model, lost) {
  const ended = (_, status) => {
    if (["restarting", "autorestarting", "dead", "terminating"].includes(status)) lost();
  };
  // JupyterLab's; elsewhere a click that is not answered tells
  const session = model.widget_manager?.context?.sessionContext;
  session?.statusChanged?.connect(ended);
  model.on("comm:close", lost);
  return () => {
    session?.statusChanged?.disconnect(ended);
    model.off("comm:close", lost);
  };
}
