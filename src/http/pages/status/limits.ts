import type { ChannelReport } from "./report.ts";

interface Kind {
  readonly text: string;
  readonly tone: "bad" | "warn";
  /** 1: values above the limit are beyond it. */
  readonly side: 1 | -1;
}

/** Limits of PRTG, the most urgent last. */
const KINDS: Readonly<Record<string, Kind>> = {
  max_warning: { text: "warning above", tone: "warn", side: 1 },
  min_warning: { text: "warning below", tone: "warn", side: -1 },
  max_error: { text: "error above", tone: "bad", side: 1 },
  min_error: { text: "error below", tone: "bad", side: -1 },
};

export interface Limit extends Partial<Kind> {
  readonly text: string;
  readonly at: number;
  readonly isExceeded: boolean;
}

/** A newer server may have other limits. */
export function limitsOf({ limits, value }: Pick<ChannelReport, "limits" | "value">): Limit[] {
  const names = [...Object.keys(KINDS), ...Object.keys(limits)];
  return [...new Set(names)].flatMap((name) => {
    const at = limits[name];
    const kind = Object.hasOwn(KINDS, name) ? KINDS[name] : undefined;
    if (at === undefined) return [];
    return {
      text: name,
      ...kind,
      at,
      isExceeded: value !== null && kind !== undefined && kind.side * (value - at) > 0,
    };
  });
}
