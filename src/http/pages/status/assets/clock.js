// Shows times of day in the reader's time zone, or in UTC on demand.
{
  const KEY = "times";
  const UTC = "UTC";
  const zone = new Intl.DateTimeFormat().resolvedOptions().timeZone;
  let isUtc = remembered() === UTC;

  // A browser may forbid storage.
  function remembered() {
    try {
      return localStorage.getItem(KEY);
    } catch {
      return null;
    }
  }

  function remember() {
    try {
      localStorage.setItem(KEY, isUtc ? UTC : "local");
    } catch {
      // The choice lasts as long as the page.
    }
  }

  function formatOf(parts) {
    return new Intl.DateTimeFormat("en-GB", { ...parts, timeZone: isUtc ? UTC : zone });
  }

  function zoneName() {
    const parts = formatOf({ timeZoneName: "short" }).formatToParts(Date.now());
    return parts.find(({ type }) => type === "timeZoneName").value;
  }

  function setClocks() {
    const clocks = document.querySelectorAll("[data-clock]");
    const ofDay = formatOf({ hour: "2-digit", minute: "2-digit" });
    const withDay = formatOf({ day: "numeric", month: "short", hour: "2-digit", minute: "2-digit" });
    for (const clock of clocks) {
      const format = clock.dataset.day === undefined ? ofDay : withDay;
      clock.textContent = format.format(Date.parse(clock.dataset.clock || clock.dateTime));
    }
    for (const element of document.querySelectorAll("[data-zone]")) element.textContent = zoneName();
    for (const field of document.querySelectorAll(".field")) field.dispatchEvent(new Event("clock"));
    if (clocks.length > 0 && zone !== UTC && document.querySelector("#utc") === null) addSwitch();
  }

  function addSwitch() {
    const button = document.createElement("button");
    button.type = "button";
    button.id = "utc";
    button.textContent = UTC;
    button.title = `Times in UTC, not ${zone}`;
    button.ariaPressed = String(isUtc);
    button.addEventListener("click", () => {
      isUtc = !isUtc;
      button.ariaPressed = String(isUtc);
      remember();
      setClocks();
    });
    document.querySelector(".top nav")?.append(button);
  }

  /** For charts.js. */
  window.clockText = (at) => formatOf({ hour: "2-digit", minute: "2-digit", second: "2-digit" }).format(at);

  setClocks();
  document.addEventListener("fresh", setClocks);
}
