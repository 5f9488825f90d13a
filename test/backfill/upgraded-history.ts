/* Two backfills of 0.1.0 that `test/fixtures/upgrades/0.1.0/make.ts` interrupted. */

export const HISTORY_SENSORS = ["9", "10", "101", "55"];
export const HISTORY_RECEIVER = "http://receiver.example.com:4318";
/** They name the series, so a run with others is refused. */
export const HISTORY_SETTINGS = `labels: { rename: { device: machine } }
mapping: { rules: [{ match: { unit: "%" }, name: prtg_share_ratio, help: A share., unit: ratio, factor: 0.01 }] }
`;
export const HISTORY_FILES = { from: "2d", to: "3h", resolution: "auto" } as const;
export const HISTORY_PUSH = { from: "6h", to: "4h", resolution: "auto" } as const;
