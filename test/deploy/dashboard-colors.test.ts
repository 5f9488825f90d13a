import { describe, expect, test } from "vitest";
import { GRAFANA_DASHBOARDS, shownPanels } from "../support/grafana-dashboards.ts";

type Rgb = readonly [red: number, green: number, blue: number];

/** Machado, Oliveira and Fernandes 2009, severity 1, for linear RGB. */
const SIGHT: Readonly<Record<string, readonly [Rgb, Rgb, Rgb]>> = {
  full: [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
  ],
  protanopia: [
    [0.152286, 1.052583, -0.204868],
    [0.114503, 0.786281, 0.099216],
    [-0.003882, -0.048116, 1.051998],
  ],
  deuteranopia: [
    [0.367322, 0.860646, -0.227968],
    [0.280085, 0.672501, 0.047413],
    [-0.01182, 0.04294, 0.968881],
  ],
  tritanopia: [
    [1.255528, -0.076749, -0.178779],
    [-0.078411, 0.930809, 0.147602],
    [0.004733, 0.691367, 0.3039],
  ],
};
/** From `getTextColorForBackground` in @grafana/ui 13.2: black on bright colors. */
const BRIGHT = 180;
const TEXT = { black: "#202226", white: "#f7f8fa" } as const;
/** WCAG 2.2, level AA. */
const MIN_CONTRAST = 4.5;
/** CIE 1976. A difference of 2.3 is just noticeable, 13 was confused in tiles. */
const MIN_DIFFERENCE = 30;

const BACKGROUNDS = new Set(
  GRAFANA_DASHBOARDS.flatMap((dashboard) =>
    shownPanels(dashboard)
      .filter(({ type }) => type === "stat" || type === "table")
      .flatMap(({ fieldConfig }) => JSON.stringify(fieldConfig).match(/(?<="(?:color|fixedColor)":")[^"]+/g) ?? []),
  ).filter((color) => color !== "transparent" && color !== "text"),
);

test("tiles and cells have explicit colors", () => {
  expect([...BACKGROUNDS].filter((color) => !/^#[0-9a-f]{6}$/.test(color))).toEqual([]);
  expect(BACKGROUNDS.size).toBeGreaterThan(15);
});

test.each([...BACKGROUNDS])("text on %s is readable", (background) => {
  const text = brightness(rgb(background)) > BRIGHT ? TEXT.black : TEXT.white;
  const [light = 0, dark = 0] = [luminance(text), luminance(background)].toSorted((a, b) => b - a);
  expect((light + 0.05) / (dark + 0.05)).toBeGreaterThanOrEqual(MIN_CONTRAST);
});

describe.each(Object.entries(SIGHT))("with %s sight", (_name, sight) => {
  test.each(["Down (acknowledged)", "Down (partial)", "Up", "Warning", "Paused by user"])(
    "Down differs from %s",
    (other) => {
      expect(difference(colorOf("Down"), colorOf(other), sight)).toBeGreaterThan(MIN_DIFFERENCE);
    },
  );

  test("the partial status differs from the acknowledged one", () => {
    expect(difference(colorOf("Down (partial)"), colorOf("Down (acknowledged)"), sight)).toBeGreaterThan(
      MIN_DIFFERENCE,
    );
  });
});

function colorOf(status: string): string {
  const all = GRAFANA_DASHBOARDS.map(({ text }) => text).join();
  const [, color] = new RegExp(`"text": "${RegExp.escape(status)}",\\s+"color": "([^"]+)"`).exec(all) ?? [];
  if (color === undefined) throw new Error(`no color for ${status}`);
  return color;
}

function rgb(color: string): Rgb {
  const [red = 0, green = 0, blue = 0] = [1, 3, 5].map((at) => Number.parseInt(color.slice(at, at + 2), 16));
  return [red, green, blue];
}

function brightness([red, green, blue]: Rgb): number {
  return (red * 299 + green * 587 + blue * 114) / 1000;
}

function linear(color: string): Rgb {
  const [red, green, blue] = rgb(color).map((value) =>
    value <= 10 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4,
  ) as unknown as Rgb;
  return [red, green, blue];
}

function luminance(color: string): number {
  return dot([0.2126, 0.7152, 0.0722], linear(color));
}

/** The distance in CIELAB for a reader with this sight. */
function difference(one: string, other: string, sight: readonly [Rgb, Rgb, Rgb]): number {
  const [a, b] = [one, other].map((color) => lab(seen(linear(color), sight)));
  return Math.hypot(...[0, 1, 2].map((index) => (a?.[index] ?? 0) - (b?.[index] ?? 0)));
}

function seen(color: Rgb, sight: readonly [Rgb, Rgb, Rgb]): Rgb {
  const [red, green, blue] = sight.map((row) => Math.min(1, Math.max(0, dot(row, color)))) as unknown as Rgb;
  return [red, green, blue];
}

/** White point D65. */
function lab(color: Rgb): Rgb {
  const cubeRoot = (value: number) => (value > 0.008856 ? Math.cbrt(value) : 7.787 * value + 16 / 116);
  const x = cubeRoot(dot([0.4124, 0.3576, 0.1805], color) / 0.9505);
  const y = cubeRoot(dot([0.2126, 0.7152, 0.0722], color));
  const z = cubeRoot(dot([0.0193, 0.1192, 0.9505], color) / 1.089);
  return [116 * y - 16, 500 * (x - y), 200 * (y - z)];
}

function dot(a: Rgb, b: Rgb): number {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}
