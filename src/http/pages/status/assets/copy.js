// Adds buttons that copy an id, a selector or a query.
{
  const SHOWN_MS = 2_000;

  /** Shows and selects the text, so that the reader can copy it. */
  function select(source, text) {
    source.textContent = text;
    getSelection().selectAllChildren(source);
  }

  async function copy(source, text) {
    // Browsers have a clipboard in secure contexts only: HTTPS or localhost.
    if (navigator.clipboard !== undefined) {
      await navigator.clipboard.writeText(text);
      return true;
    }
    select(source, text);
    return document.execCommand("copy");
  }

  function addButton(source) {
    if (source.nextElementSibling?.classList.contains("copy")) return;
    const { copy: what, of: name = "", text = source.textContent } = source.dataset;
    const button = document.createElement("button");
    const label = source.textContent === "" ? `Copy ${what}` : "Copy";
    button.type = "button";
    button.className = "copy";
    button.textContent = label;
    button.ariaLabel = `Copy ${what}${name === "" ? "" : ` of ${name}`}`;
    button.addEventListener("click", async () => {
      const done = await copy(source, text).catch(() => false);
      if (!done) select(source, text);
      button.textContent = done ? "Copied" : "Press Ctrl+C";
      setTimeout(() => {
        button.textContent = label;
      }, SHOWN_MS);
    });
    source.after(button);
  }

  function addButtons() {
    for (const source of document.querySelectorAll("[data-copy]")) addButton(source);
  }

  addButtons();
  document.addEventListener("fresh", addButtons);
}
