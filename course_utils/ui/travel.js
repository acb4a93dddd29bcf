// The buttons of `travel.buttons()`: the answers as a file of the browser's, and back.

const PIECE = 1 << 20; // letters of a message

function render({ model, el }) {
  const context = model.widget_manager?.context; // JupyterLab's, of this notebook
  const chooser = h("input", { type: "file", accept: model.get("suffix"), hidden: true, onchange: ask });
  const said = h("p", { role: "status" });
  const asked = h("p", { role: "group", "aria-label": "Take this file in?" });

  async function take() {
    await context?.save?.(); // what was typed last comes along
    model.send({ pack: true });
  }

  function ask() {
    const [file] = chooser.files;
    chooser.value = "";
    if (!file) return;
    const leave = h("button", { onclick: () => asked.replaceChildren() }, "Leave it");
    const whose = `${file.name}, of ${new Date(file.lastModified).toLocaleString("en")}. ${model.get("runs")} `;
    asked.replaceChildren(whose, h("button", { onclick: () => bring(file) }, "Take it in"), " ", leave);
    leave.focus();
  }

  async function bring(file) {
    asked.replaceChildren();
    await context?.save?.();
    const letters = (await asAddress(file)).split(",")[1] ?? "";
    for (let from = 0; from === 0 || from < letters.length; from += PIECE)
      model.send({ piece: letters.slice(from, from + PIECE), last: from + PIECE >= letters.length });
  }

  function hear(message) {
    const bytes = Uint8Array.from(atob(message.file), (letter) => letter.charCodeAt(0));
    const href = URL.createObjectURL(new Blob([bytes]));
    h("a", { download: message.name, href }).click();
  }

  const tell = () => (said.textContent = model.get("said"));
  model.on("msg:custom", hear);
  model.on("change:said", tell);
  tell();
  el.append(
    h(
      "div",
      { class: "course-ui travel" },
      h("button", { onclick: take }, "Take my answers along"),
      h("button", { onclick: () => chooser.click() }, "Bring answers in"),
      chooser,
      asked,
      said,
    ),
  );
  return () => {
    model.off("msg:custom", hear);
    model.off("change:said", tell);
  };
}

/** A file as a data: address, which holds it in base64. */
function asAddress(file) {
  return new Promise((done, failed) => {
    const reader = new FileReader();
    reader.onload = () => done(reader.result);
    reader.onerror = () => failed(reader.error);
    reader.readAsDataURL(file);
  });
}

export default { render };
