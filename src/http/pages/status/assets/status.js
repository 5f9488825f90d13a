// Makes the pages handier; without it everything still works by links and forms. Whatever is shown comes as a page of the
// exporter and is taken over as nodes: this script never builds markup from text.

const REFRESH_MS = 10_000;
const TYPING_MS = 200;
const OPENER = "opener";
const INSIDE = "inside";
const OWN_RESULTS = "main > section:not(#found) > #results";
/** What holds rows of the tree. */
const LISTS = `.tree-top, #below:not([data-live]), ${OWN_RESULTS}`;
/** Rows that are brought up to date at a time: to ask for a hundred open sensors every few seconds would be rude. */
const MOST_REFRESHED = 10;

async function load(address, signal) {
  const response = await fetch(address, { signal, headers: { Accept: "text/html" } });
  if (!response.ok) throw new Error(`HTTP ${response.status}`);
  return new DOMParser().parseFromString(await response.text(), "text/html");
}

/* Relative times */

function span(seconds) {
  if (seconds < 100) return `${Math.round(seconds)} s`;
  if (seconds < 5_400) return `${Math.round(seconds / 60)} min`;
  if (seconds < 129_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

// The clock of the browser may be off: what counts is the time since the page came.
let asOf = Date.now();
let cameAt = performance.now();

function noteAge(root) {
  const time = root.querySelector("#as-of time");
  if (time === null) return;
  asOf = Date.parse(time.dateTime);
  cameAt = performance.now();
}

function tick() {
  const now = asOf + performance.now() - cameAt;
  for (const time of document.querySelectorAll("time[data-relative]")) {
    const seconds = (Date.parse(time.dateTime) - now) / 1_000;
    const text = Math.abs(seconds) < 1 ? "now" : seconds < 0 ? `${span(-seconds)} ago` : `in ${span(seconds)}`;
    if (time.textContent !== text) time.textContent = text;
  }
  for (const time of document.querySelectorAll("time[data-span]")) {
    const text = span(Math.max(1, (now - Date.parse(time.dateTime)) / 1_000));
    if (time.textContent !== text) time.textContent = text;
  }
}

/* Opening in place */

function addOpeners(root) {
  for (const row of root.querySelectorAll("tr[data-opens]")) {
    const name = row.querySelector("th");
    // A live part is replaced as a whole.
    if (name === null || name.querySelector(`.${OPENER}`) !== null || row.closest("[data-live]") !== null) continue;
    const button = document.createElement("button");
    const glyph = document.createElement("span");
    glyph.className = "glyph";
    glyph.ariaHidden = "true";
    glyph.textContent = "▸";
    button.type = "button";
    button.className = OPENER;
    button.ariaExpanded = "false";
    button.ariaLabel = `Open ${name.querySelector("a")?.textContent ?? ""}`;
    button.append(glyph);
    name.prepend(button);
    row.closest("table")?.classList.add("with-openers");
  }
}

async function belowOf(address) {
  const below = (await load(address)).querySelector("#below");
  if (below === null) throw new Error("nothing below");
  below.removeAttribute("id");
  below.removeAttribute("data-live");
  below.className = "below";
  return document.adoptNode(below);
}

/** The row with what is below the object of this row. */
function insideOf(row) {
  const next = row.nextElementSibling;
  return next?.className === INSIDE ? next : null;
}

async function toggle(button) {
  const row = button.closest("tr");
  const open = button.ariaExpanded !== "true";
  button.ariaExpanded = String(open);
  if (!open) {
    insideOf(row)?.remove();
    return;
  }
  const address = row.querySelector("th > a").href;
  try {
    const below = await belowOf(address);
    // Closed again, or opened twice, while it came.
    if (button.ariaExpanded !== "true" || insideOf(row) !== null) return;
    addOpeners(below);
    const inside = document.createElement("tr");
    const cell = document.createElement("td");
    inside.className = INSIDE;
    cell.colSpan = row.closest("table").tHead.rows[0].cells.length;
    cell.append(below);
    inside.append(cell);
    row.after(inside);
    document.dispatchEvent(new Event("fresh"));
  } catch {
    // The page of the object says more than we could.
    location.assign(address);
  }
}

/* Search as you type */

const input = document.querySelector("#q");
const found = document.querySelector("#found");
let asking = new AbortController();

async function search() {
  // Pages below others have no place for results.
  if (found === null) return;
  asking.abort();
  asking = new AbortController();
  const text = input.value.trim();
  const own = document.querySelector(OWN_RESULTS);
  // An empty question is one on the page of results only.
  if (text === "" && own === null) {
    found.hidden = true;
    found.replaceChildren();
    return;
  }
  // With the status or server that the page is about.
  const query = new URLSearchParams(new FormData(input.form));
  try {
    const page = await load(`./search?${query}`, asking.signal);
    const results = document.adoptNode(page.querySelector("#results"));
    addOpeners(results);
    if (own === null) {
      found.replaceChildren(results);
      found.hidden = false;
    } else {
      own.replaceWith(results);
      history.replaceState(null, "", `./search?${query}`);
    }
    document.dispatchEvent(new Event("fresh"));
  } catch (error) {
    // A newer question, or an exporter out of reach: the form still works.
    if (error.name !== "AbortError") found.hidden = true;
  }
}

/* Servers by name as you type */

const serverForm = document.querySelector(".servers-find");
let lookingUp = new AbortController();

async function findServers() {
  lookingUp.abort();
  lookingUp = new AbortController();
  const text = serverForm.querySelector("input").value.trim();
  const address = text === "" ? "./" : `./?${new URLSearchParams({ find: text })}`;
  try {
    const page = await load(address, lookingUp.signal);
    document.querySelector("#servers").replaceWith(document.adoptNode(page.querySelector("#servers")));
    // What is refreshed is what is shown.
    history.replaceState(null, "", address);
  } catch {
    // A newer question, or an exporter out of reach: the form still works.
  }
}

/* Charts of a sensor that is down come without a click: one request, as with the button */

async function showCharts() {
  const form = document.querySelector("#chart form[data-auto]");
  if (form === null) return;
  try {
    const page = await load(`./tree?${new URLSearchParams(new FormData(form))}`);
    const charts = page.querySelector("#chart");
    if (charts === null || !form.isConnected) return;
    keepSparklines(page, document);
    document.querySelector("#chart").replaceWith(document.adoptNode(charts));
    document.dispatchEvent(new Event("fresh"));
  } catch {
    // Too many readers, or an exporter out of reach: the button still works.
  }
}

/* Refresh */

function isInUse(element) {
  const selection = getSelection();
  if (selection !== null && !selection.isCollapsed && selection.containsNode(element, true)) return true;
  return element.contains(document.activeElement);
}

function keepOpen(from, to) {
  for (const details of from.querySelectorAll("details[open]")) {
    const same = [...to.querySelectorAll("details")].find(({ dataset }) => dataset.key === details.dataset.key);
    if (same !== undefined) same.open = true;
  }
}

/** Charts come on request only, and stay with their channels. */
function keepSparklines(from, to) {
  for (const place of to.querySelectorAll("[data-spark]")) {
    const same = [...from.querySelectorAll("[data-spark]")].find(
      ({ dataset }) => dataset.spark === place.dataset.spark,
    );
    place.append(...(same?.childNodes ?? []));
  }
}

function replaceLive(page) {
  document.title = page.title;
  const [icon, fresh] = [document, page].map((each) => each.querySelector('link[rel="icon"]'));
  if (icon.getAttribute("href") !== fresh.getAttribute("href")) icon.replaceWith(document.adoptNode(fresh));
  for (const element of document.querySelectorAll("[data-live]")) {
    const fresh = page.getElementById(element.id);
    if (fresh === null || isInUse(element)) continue;
    keepOpen(element, fresh);
    keepSparklines(element, fresh);
    element.replaceWith(document.adoptNode(fresh));
  }
}

const rowsOf = (list) => [...list.querySelectorAll(":scope > table.objects > tbody > tr[data-key]")];

/** Brings rows up to date where the list is still the same; what is open below them too. */
async function refreshRows(list, fresh, budget) {
  const [now, then] = [rowsOf(list), rowsOf(fresh)];
  if (now.length !== then.length || now.some((row, index) => row.dataset.key !== then[index].dataset.key)) {
    // The order changes with the statuses. What a reader has opened stays.
    if (list.querySelector(`.${INSIDE}`) !== null || isInUse(list)) return;
    addOpeners(fresh);
    list.replaceChildren(...document.adoptNode(fresh).childNodes);
    return;
  }
  for (const [index, row] of now.entries()) {
    const cells = [...document.adoptNode(then[index]).querySelectorAll(":scope > td")];
    for (const [at, cell] of [...row.querySelectorAll(":scope > td")].entries()) {
      if (!isInUse(cell)) cell.replaceWith(cells[at]);
    }
    const below = insideOf(row)?.querySelector(":scope > td > .below") ?? null;
    if (below === null || isInUse(below) || budget.left === 0) continue;
    budget.left--;
    const freshBelow = await belowOf(row.querySelector("th > a").href);
    if (below.querySelector(":scope > table.objects") !== null) await refreshRows(below, freshBelow, budget);
    else {
      keepOpen(below, freshBelow);
      below.replaceWith(freshBelow);
    }
  }
}

let refreshing = false;

async function refresh() {
  if (document.hidden || refreshing) return;
  refreshing = true;
  try {
    // A chart asks the monitoring server: only its reader does that.
    const address = new URL(location.href);
    address.searchParams.delete("chart");
    const shown = location.href;
    const page = await load(address);
    // A search for servers has changed the list meanwhile.
    if (location.href !== shown) return;
    const lists = [...page.querySelectorAll(LISTS)];
    noteAge(page);
    replaceLive(page);
    const budget = { left: MOST_REFRESHED };
    for (const [index, list] of [...document.querySelectorAll(LISTS)].entries()) {
      if (lists[index] !== undefined) await refreshRows(list, lists[index], budget);
    }
    document.body.classList.remove("out-of-reach");
    document.dispatchEvent(new Event("fresh"));
  } catch {
    document.body.classList.add("out-of-reach");
  } finally {
    refreshing = false;
  }
}

function addRefreshSwitch() {
  const button = document.createElement("button");
  button.type = "button";
  button.id = "refresh";
  button.append("Live");
  button.title = `Refreshes every ${REFRESH_MS / 1_000} seconds`;
  let timer;
  const turn = (on) => {
    button.ariaPressed = String(on);
    clearInterval(timer);
    if (on) timer = setInterval(refresh, REFRESH_MS);
  };
  button.addEventListener("click", () => turn(button.ariaPressed !== "true"));
  turn(true);
  document.querySelector(".top nav")?.append(button);
}

addOpeners(document);
noteAge(document);
void showCharts();
// Without a time there is nothing to refresh.
if (document.querySelector("#as-of time") !== null) addRefreshSwitch();
setInterval(tick, 1_000);
document.addEventListener("click", (event) => {
  const button = event.target instanceof Element ? event.target.closest(`.${OPENER}`) : null;
  if (button !== null) void toggle(button);
});
function whileTyping(field, act) {
  let typing;
  field?.addEventListener("input", () => {
    clearTimeout(typing);
    typing = setTimeout(act, TYPING_MS);
  });
}

whileTyping(input, search);
whileTyping(serverForm?.querySelector("input"), findServers);
