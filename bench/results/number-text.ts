import type { Budget, Unit } from "./result.ts";

export function numberText(value: number, unit: Unit): string {
  switch (unit) {
    case "ms":
      return `${digits(value)} ms`;
    case "s":
      return `${digits(value)} s`;
    case "MB":
      return `${digits(value)} MB`;
    case "kB":
      return `${digits(value)} kB`;
    case "bytes":
      return Math.round(value).toLocaleString("en-US");
    case "count":
      return value.toLocaleString("en-US", { maximumFractionDigits: 1 });
    case "ratio":
      return `${value < 0.1 ? Number(value.toPrecision(1)) : digits(value)} x`;
    case "percent":
      return `${digits(value)} %`;
  }
}

/** `at most 1.25 x`. */
export function limitText({ atMost, atLeast, unit }: Budget): string {
  const limits = [
    ...(atMost === undefined ? [] : [`at most ${numberText(atMost, unit)}`]),
    ...(atLeast === undefined ? [] : [`at least ${numberText(atLeast, unit)}`]),
  ];
  return limits.join(", ");
}

/** Measurements are no more precise. */
function digits(value: number): string {
  const size = Math.abs(value);
  const places = size >= 100 ? 0 : size >= 10 ? 1 : 2;
  return value.toLocaleString("en-US", { maximumFractionDigits: places });
}
