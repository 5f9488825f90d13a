import { type Html, html } from "./html.ts";

const NUMBERS = formatter();
const FOUR_DIGITS = formatter({ maximumSignificantDigits: 4 });
const THREE_DECIMALS = formatter({ maximumFractionDigits: 3 });
const ONE_DECIMAL = formatter({ maximumFractionDigits: 1 });
const THREE_DIGITS = formatter({ maximumSignificantDigits: 3 });

/** Lazy, because the locale data takes a tenth of the start time. */
function formatter(options?: Intl.NumberFormatOptions): { format(value: number): string } {
  let made: Intl.NumberFormat | undefined;
  return {
    format: (value) => {
      made ??= new Intl.NumberFormat("en-GB", options);
      return made.format(value);
    },
  };
}

/** `12,345` */
export function number(value: number): string {
  return NUMBERS.format(value);
}

/** `1 probe`, `1,200 sensors` */
export function counted(count: number, thing: string): string {
  return `${number(count)} ${thing}${count === 1 ? "" : "s"}`;
}

const KINDS = ["probe", "group", "device", "sensor", "channel"] as const;

/** `1 probe, 2 groups, ...` */
export function objectCounts(objects: Readonly<Record<(typeof KINDS)[number], number>>): string {
  return KINDS.map((kind) => counted(objects[kind], kind)).join(", ");
}

/** About four digits. Scientific notation for very large and very small values. */
export function value(input: number): string {
  const size = Math.abs(input);
  if (size !== 0 && (size >= 1e15 || size < 1e-3)) return input.toExponential(3);
  if (size < 1) return FOUR_DIGITS.format(input);
  return (size < 1_000 ? THREE_DECIMALS : ONE_DECIMAL).format(input);
}

/** The first characters of a text that is longer. The page of its object has the whole. */
export function shortened(text: string, length: number): string {
  const characters = [...text];
  return characters.length > length ? `${characters.slice(0, length).join("")}…` : text;
}

/** The names above an object, joined with `/`. A name may have a slash, too. */
export function pathAbove({ name, path }: { readonly name: string; readonly path: string }): string {
  return path.slice(0, Math.max(0, path.length - name.length - 1));
}

/** `1.2 MB`, decimal. */
export function bytes(count: number): string {
  const units = ["B", "kB", "MB", "GB", "TB"];
  const power = count < 1_000 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(count) / 3));
  return `${THREE_DIGITS.format(count / 1_000 ** power)} ${units[power]}`;
}

/** `340 ms`, `2.1 s`, `5 min`, `3 h`, `4 d`, with sign. */
export function duration(seconds: number): string {
  const size = Math.abs(seconds);
  if (size < 1) return `${THREE_DIGITS.format(Number((seconds * 1_000).toPrecision(2)))} ms`;
  if (size < 10) return `${THREE_DIGITS.format(Number(seconds.toPrecision(2)))} s`;
  if (size < 100) return `${Math.round(seconds)} s`;
  if (size < 5_400) return `${Math.round(seconds / 60)} min`;
  if (size < 129_600) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}

/** `12 s ago`, `in 5 min`, with the UTC time as title. Arguments are ISO 8601. */
export function moment(at: string | null, now: string): Html {
  if (at === null) return html`<span class="none">never</span>`;
  const seconds = (Date.parse(at) - Date.parse(now)) / 1_000;
  const text = Math.abs(seconds) < 1 ? "now" : seconds < 0 ? `${duration(-seconds)} ago` : `in ${duration(seconds)}`;
  return html`<time datetime="${at}" title="${utc(at)}" data-relative>${text}</time>`;
}

const DAY_SECONDS = 86_400;
const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** `19 min ago, 15:18`, with the day if it is longer ago. The script shows the reader's time zone. */
export function momentAndClock(at: string, now: string): Html {
  return html`${moment(at, now)}, ${clockTime(at, now)}`;
}

/** `15:18`, or `26 Nov, 15:18` if it is not within a day of `now`. UTC without the script. */
export function clockTime(at: string, now: string): Html {
  const isFar = Math.abs(Date.parse(now) - Date.parse(at)) >= DAY_SECONDS * 1_000;
  const day = isFar && `${Number(at.slice(8, 10))} ${MONTHS[Number(at.slice(5, 7)) - 1]}, `;
  return html`<time datetime="${at}" title="${utc(at)}" data-clock${isFar && html` data-day`}>${day}${at.slice(11, 16)}</time>`;
}

/** Like `moment`, with the exact time in the text. */
export function momentInFull(at: string | null, now: string): Html {
  return at === null ? moment(at, now) : html`${moment(at, now)} <span class="exact">${utc(at)}</span>`;
}

/** `12 min`, with the UTC time as title. Arguments are ISO 8601. */
export function span(at: string, now: string): Html {
  const seconds = Math.max(1, (Date.parse(now) - Date.parse(at)) / 1_000);
  return html`<time datetime="${at}" title="since ${utc(at)}" data-span>${duration(seconds)}</time>`;
}

/** `2026-11-21 18:44:57 UTC` */
export function utc(at: string): string {
  return `${at.slice(0, 10)} ${at.slice(11, 19)} UTC`;
}
