// Shows value and time under the pointer, and by arrow keys. Charts and tables work without it.
{
  const FAR = 10;
  const format = new Intl.NumberFormat("en-GB", { maximumFractionDigits: 7 });

  /** Of `data-points`: see path.ts of the exporter. */
  function pointsOf(text, from) {
    let [time, low, high] = [from, 0, 0];
    return text.split(" ").map((token) => {
      const [seconds, ...values] = token.split(",").map(Number);
      time += seconds * 1_000;
      if (values.length > 0) [low, high] = [values[0], values.at(-1)];
      return { at: time, low, high };
    });
  }

  function numberText(value) {
    const size = Math.abs(value);
    return size !== 0 && (size >= 1e15 || size < 1e-3) ? value.toExponential(3) : format.format(value);
  }

  function textOf({ low, high }, unit) {
    const range = low === high ? numberText(low) : `${numberText(low)} to ${numberText(high)}`;
    return `${range} ${unit}`.trim();
  }

  function nearest(points, at) {
    return points.reduce((best, { at: each }, index) => {
      return Math.abs(each - at) < Math.abs(points[best].at - at) ? index : best;
    }, 0);
  }

  function element(name, className) {
    const made = document.createElement(name);
    made.className = className;
    return made;
  }

  function addCursor(field) {
    const { dataset } = field;
    if (dataset.points === "" || field.querySelector(".cursor") !== null) return;
    const [from, to] = [Number(dataset.from), Number(dataset.to)];
    const points = pointsOf(dataset.points, from);
    const [cursor, rule, tip] = [element("div", "cursor"), element("span", "rule"), element("span", "tip")];
    let place = points.length - 1;
    const read = () => {
      const { at } = points[place];
      const text = `${window.clockText(at)}: ${textOf(points[place], dataset.unit)}`;
      cursor.ariaValueNow = String(place);
      cursor.ariaValueText = text;
      const share = Math.min(1, Math.max(0, (at - from) / (to - from)));
      rule.style.left = `${share * 100}%`;
      // The tip stays inside the chart.
      tip.style.left = `${share * 100}%`;
      tip.style.translate = `${-share * 100}% 0`;
      tip.textContent = text;
    };
    const show = (index) => {
      place = Math.min(points.length - 1, Math.max(0, index));
      rule.hidden = tip.hidden = false;
      read();
    };
    const hide = () => {
      rule.hidden = tip.hidden = true;
    };
    cursor.tabIndex = 0;
    cursor.role = "slider";
    cursor.ariaLabel = `${field.querySelector("title").textContent}: values`;
    cursor.ariaValueMin = "0";
    cursor.ariaValueMax = String(points.length - 1);
    tip.ariaHidden = "true";
    cursor.append(rule, tip);
    hide();
    read();
    for (const type of ["pointermove", "pointerdown"]) {
      cursor.addEventListener(type, ({ clientX }) => {
        const { left, width } = cursor.getBoundingClientRect();
        show(nearest(points, from + ((clientX - left) / width) * (to - from)));
      });
    }
    cursor.addEventListener("pointerleave", () => document.activeElement !== cursor && hide());
    cursor.addEventListener("focus", () => show(place));
    cursor.addEventListener("blur", hide);
    cursor.addEventListener("keydown", (event) => {
      const last = points.length - 1;
      const to = {
        ...{ ArrowLeft: place - 1, ArrowDown: place - 1, ArrowRight: place + 1, ArrowUp: place + 1 },
        ...{ PageDown: place - FAR, PageUp: place + FAR, Home: 0, End: last },
      }[event.key];
      if (event.key === "Escape") hide();
      if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
      event.preventDefault();
      show(to);
    });
    field.addEventListener("clock", read);
    field.append(cursor);
  }

  function addCursors() {
    for (const field of document.querySelectorAll(".field[data-points]")) addCursor(field);
  }

  addCursors();
  document.addEventListener("fresh", addCursors);
}
