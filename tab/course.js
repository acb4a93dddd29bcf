// The course's part of the page in a browser tab: it says when Python is ready, where the learner looks; the logo leads back to the site; and what
// JupyterLite leaves without a name gets one, for who listens to the page.
// `site.py` puts it beside JupyterLite's pages.

const NOTICE = `
#course-notice { position: fixed; left: 50%; bottom: 18px; z-index: 1000; transform: translateX(-50%); box-sizing: border-box; max-width: calc(100vw - 24px);
  padding: 10px 18px; border-radius: 6px; font: 15px/1.4 system-ui, sans-serif; color: var(--jp-ui-inverse-font-color1, #fff);
  background: var(--jp-inverse-layout-color1, #22303c); box-shadow: 0 2px 8px rgb(0 0 0 / 0.35); }
#course-notice:empty { display: none; }`;
const NAMES = { ".cm-content": "Code", ".jp-collapseHeadingButton": "Fold this section" };
const STOP = ".stop"; // a training looks for it after each iteration: ui/interrupted.py
const HEARD = "A training stops after this iteration. Anything else stops only when you restart the kernel, which loses your variables.";
const SHOWN = 15000; // ms that a notice stays

const notice = Object.assign(document.createElement("div"), { id: "course-notice", role: "status" });

/** Calls `use` with what `find` finds, once it is there. */
function whenThere(find, use) {
  const found = find();
  if (found) return use(found);
  setTimeout(() => whenThere(find, use), 200);
}

async function sayWhenReady(kernel) {
  notice.textContent = "Python is starting: up to a minute. Cells that you run wait for it.";
  await kernel.info; // which comes when it is there
  notice.textContent = "Python is ready: click a cell and press Shift+Enter, or tap ▸ above.";
  setTimeout(() => (notice.textContent = ""), SHOWN);
}

/** The square button. While a cell runs, no message from the page reaches Python, but Python can read the browser's storage. */
function stopOnInterrupt(app) {
  app.commands.commandExecuted.connect((_, { id }) => {
    if (id !== "notebook:interrupt-kernel") return;
    app.serviceManager.contents.save(STOP, { name: STOP, path: STOP, type: "file", format: "text", content: "" });
    notice.textContent = HEARD;
    setTimeout(() => (notice.textContent = ""), SHOWN);
  });
}

function giveNames() {
  for (const [which, name] of Object.entries(NAMES)) for (const one of document.querySelectorAll(`${which}:not([aria-label])`)) one.ariaLabel = name;
  for (const cells of document.querySelectorAll("[role=feed]")) cells.role = "group"; // of a feed a screen reader expects articles
  for (const skip of document.querySelectorAll(".skip-link")) skip.tabIndex = 0;
}

addEventListener("DOMContentLoaded", () => {
  document.head.append(Object.assign(document.createElement("style"), { textContent: NOTICE }));
  document.body.append(notice);
  setInterval(giveNames, 1000); // cells come and go
  const app = document.body.dataset.notebook; // "notebooks": one of them; "tree": the list
  whenThere(() => window.jupyterapp, stopOnInterrupt);
  if (app === "lab") return; // which has another logo, and opens no notebook by itself
  whenThere(
    () => document.getElementById("jp-NotebookLogo"),
    (logo) => Object.assign(logo, { href: new URL("../../index.html", location.href).href, target: "", title: "Back to the course's pages", ariaLabel: "Back to the course's pages" }),
  );
  if (app !== "notebooks") return;
  whenThere(
    () => window.jupyterapp?.shell.currentWidget?.sessionContext?.session?.kernel,
    (kernel) => sayWhenReady(kernel),
  );
});
