import type { DynamicConfigValue, ValueMap } from "@grafana/grafana-foundation-sdk/dashboard";
import { MappingType } from "@grafana/grafana-foundation-sdk/dashboard";
import { STATUS_TOKENS, type StatusToken } from "../../src/prtg/status.ts";

interface Appearance {
  readonly text: string;
  /** Of Grafana's palette, where it has one. */
  readonly color: string;
}

const GREY = "#8e8e8e";
/** For numbers that are as they should be, on either theme. */
export const NEUTRAL = "#5b616b";

/** What the product's own pages call a status, in the colours that they give it. */
const APPEARANCES: Readonly<Record<StatusToken, Appearance>> = {
  none: { text: "None", color: "#5f5f5f" },
  unknown: { text: "Unknown", color: GREY },
  collecting: { text: "Collecting", color: "#b0b0b0" },
  up: { text: "Up", color: "green" },
  warning: { text: "Warning", color: "yellow" },
  down: { text: "Down", color: "red" },
  disconnected: { text: "Disconnected", color: "dark-red" },
  pausedbyuser: { text: "Paused by user", color: "blue" },
  pausedbydependency: { text: "Paused by dependency", color: "light-blue" },
  pausedbyschedule: { text: "Paused by schedule", color: "semi-dark-blue" },
  unusual: { text: "Unusual", color: "orange" },
  pausedbylicense: { text: "Paused by license", color: "dark-blue" },
  pauseduntil: { text: "Paused until", color: "super-light-blue" },
  acknowledged: { text: "Down (acknowledged)", color: "light-red" },
  partialdown: { text: "Down (partial)", color: "super-light-red" },
};

export function colorOf(status: StatusToken): string {
  return APPEARANCES[status].color;
}

/** For values of `prtg_*_status_code`. */
export const STATUS_CODE_MAPPING: ValueMap = {
  type: MappingType.ValueToText,
  options: Object.fromEntries(
    STATUS_TOKENS.map((token, code) => [String(code), { ...APPEARANCES[token], index: code }]),
  ),
};

/** Overrides for series that are named by the label `status`. */
export const STATUS_SERIES: readonly (readonly [token: StatusToken, properties: DynamicConfigValue[]])[] =
  STATUS_TOKENS.map((token) => [
    token,
    [
      { id: "displayName", value: APPEARANCES[token].text },
      { id: "color", value: { mode: "fixed", fixedColor: APPEARANCES[token].color } },
    ],
  ]);
