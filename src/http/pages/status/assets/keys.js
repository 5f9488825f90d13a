// Keys for readers who keep their hands on the keyboard. Tab and Enter work without it.
{
  const KEYS = [
    ["/", "Search"],
    ["j", "Next row"],
    ["k", "Previous row"],
    ["Enter", "Open the page of the row"],
    ["o", "Open the row, or the object of the page, in PRTG"],
    ["← →", "Values of a chart, one after the other"],
    ["?", "These keys"],
    ["Esc", "Close"],
  ];
  const ROWS = "main tbody tr";
  const isLink = (link) => link.checkVisibility() && !link.classList.contains("prtg");
  const mainLink = (row) => [...row.querySelectorAll("a[href]")].find(isLink);

  function rows() {
    return [...document.querySelectorAll(ROWS)].filter((row) => mainLink(row) !== undefined);
  }

  function currentRow() {
    return document.activeElement?.closest(ROWS) ?? null;
  }

  function move(distance) {
    const all = rows();
    const at = all.indexOf(currentRow());
    const next = at === -1 ? 0 : Math.min(all.length - 1, Math.max(0, at + distance));
    if (all[next] === undefined) return;
    mainLink(all[next]).focus();
    all[next].scrollIntoView({ block: "nearest" });
  }

  function openInPrtg() {
    const row = currentRow();
    (row ?? document.querySelector("#title"))?.querySelector("a.prtg")?.click();
  }

  function element(name, ...content) {
    const made = document.createElement(name);
    made.append(...content);
    return made;
  }

  function makeDialog() {
    const dialog = element("dialog");
    const title = element("h2", "Keys");
    const close = element("button", "Close");
    dialog.className = "keys";
    title.id = "keys-title";
    dialog.setAttribute("aria-labelledby", title.id);
    close.addEventListener("click", () => dialog.close());
    const list = element(
      "dl",
      ...KEYS.flatMap(([key, text]) => [element("dt", element("kbd", key)), element("dd", text)]),
    );
    dialog.append(title, list, close);
    document.body.append(dialog);
    return dialog;
  }

  const dialog = makeDialog();
  const ACTIONS = {
    "/": () => document.querySelector("#q").focus(),
    j: () => move(1),
    k: () => move(-1),
    o: openInPrtg,
    "?": () => dialog.showModal(),
  };

  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || dialog.open) return;
    if (event.target.closest("input, textarea, select, [contenteditable]") !== null) return;
    const action = Object.hasOwn(ACTIONS, event.key) ? ACTIONS[event.key] : undefined;
    if (action === undefined) return;
    event.preventDefault();
    action();
  });

  const hint = element("p", "Press ", element("kbd", "?"), " for keys.");
  document.querySelector("footer").append(hint);
}
