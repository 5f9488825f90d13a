import type { DynamicConfigValue, ValueMap } from "@grafana/grafana-foundation-sdk/dashboard";
import { MappingType } from "@grafana/grafana-foundation-sdk/dashboard";
import { STATUS_TOKENS, type StatusToken } from "../../src/prtg/status.ts";

interface Appearance {
  readonly text: string;
  readonly color: string;
}

/** Tile color of a zero that means "no problem". */
export const NEUTRAL = "#5b616b";

/**
 * The only palette. Grafana writes on these colors in black or white, and both are readable. Important statuses differ in
 * lightness, so that readers with color blindness tell them apart. `test/deploy/dashboard-colors.test.ts` checks both.
 */
const APPEARANCES: Readonly<Record<StatusToken, Appearance>> = {
  none: { text: "None", color: "#6f6f6f" },
  unknown: { text: "Unknown", color: "#c4c6ca" },
  collecting: { text: "Collecting", color: "#e3e3e3" },
  up: { text: "Up", color: "#96d98d" },
  warning: { text: "Warning", color: "#fade2a" },
  down: { text: "Down", color: "#c4162a" },
  disconnected: { text: "Disconnected", color: "#7a0c17" },
  pausedbyuser: { text: "Paused by user", color: "#2f6fd0" },
  pausedbydependency: { text: "Paused by dependency", color: "#9cc3ff" },
  pausedbyschedule: { text: "Paused by schedule", color: "#1f60c4" },
  unusual: { text: "Unusual", color: "#ffb357" },
  pausedbylicense: { text: "Paused by license", color: "#17478f" },
  pauseduntil: { text: "Paused until", color: "#c0d8ff" },
  acknowledged: { text: "Down (acknowledged)", color: "#deb6f2" },
  partialdown: { text: "Down (partial)", color: "#ff9aa5" },
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

/** Statuses of sensors that are down, worst first. */
export const DOWN_STATUSES = ["down", "partialdown", "acknowledged"] as const satisfies readonly StatusToken[];

/** For places in `DOWN_STATUSES` from 1 on: unlike status codes, they sort by severity. */
export const SEVERITY_MAPPING: ValueMap = {
  type: MappingType.ValueToText,
  options: Object.fromEntries(
    DOWN_STATUSES.map((token, index) => [String(index + 1), { ...APPEARANCES[token], index }]),
  ),
};

/** For the label `problem` of outages. */
export const PROBLEM_MAPPING: ValueMap = {
  type: MappingType.ValueToText,
  options: { down: { ...APPEARANCES.down, index: 0 }, unknown: { ...APPEARANCES.unknown, index: 1 } },
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
