// The buttons of `keepsake.buttons()`: Python writes a file, and the browser saves it.

function render({ model, el }) {
  const [page, code] = model.get("files");
  const by = h("input", { type: "text", maxlength: 60, placeholder: "your name, if you like", "aria-label": "Your name", autocomplete: "name" });
  const functions = h("input", { type: "checkbox", checked: true });
  const said = h("p", { role: "status" });

  function ask(name) {
    said.textContent = name === page ? "All games against your agent are counted once more. This takes some seconds ..." : "";
    model.send({ name, by: by.value, functions: functions.checked });
  }

  function save(message) {
    const bytes = Uint8Array.from(atob(message.file), (letter) => letter.charCodeAt(0));
    const href = URL.createObjectURL(new Blob([bytes]));
    h("a", { download: message.name, href }).click();
  }

  const tell = () => (said.textContent = model.get("said"));
  model.on("msg:custom", save);
  model.on("change:said", tell);
  tell();
  const root = h(
    "div",
    { class: "course-ui keepsake" },
    by,
    h("button", { type: "button", onclick: () => ask(page) }, "Save my agent's page"),
    h("label", {}, functions, " with my functions to read"),
    h("button", { type: "button", onclick: () => ask(code) }, "Save my AlphaZero in one file"),
    said,
  );
  keepKeys(root);
  el.append(root);
  return () => {
    model.off("msg:custom", save);
    model.off("change:said", tell);
  };
}

export default { render };
