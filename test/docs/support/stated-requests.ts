import { readPage } from "./pages.ts";

/** A row of requests a minute in docs/operations.md. */
export interface StatedRequests {
  readonly sensors: number;
  readonly channels: number;
  readonly devices: number;
  readonly health: number;
  readonly status: number;
  readonly channelList: number;
  readonly treeAndLimits: number;
  readonly all: number;
  /** Without a push, at most. */
  readonly series: number;
}

export function allStatedRequests(): StatedRequests[] {
  const cells = String.raw`([\d,]+) \| `.repeat(9).slice(0, -1);
  const rows = readPage("docs/operations.md").prose.matchAll(new RegExp(String.raw`^\| ${cells}$`, "gm"));
  return Array.from(rows, (row) => {
    const numbers = row.slice(1).map((cell) => Number(cell.replaceAll(",", "")));
    const [sensors = 0, channels = 0, devices = 0, health = 0, status = 0, ...more] = numbers;
    const [channelList = 0, treeAndLimits = 0, all = 0, series = 0] = more;
    return { sensors, channels, devices, health, status, channelList, treeAndLimits, all, series };
  });
}

export function statedRequests(size: Pick<StatedRequests, "sensors" | "channels">): StatedRequests {
  const row = allStatedRequests().find((each) => each.sensors === size.sensors && each.channels === size.channels);
  if (row === undefined) throw new Error(`docs/operations.md has no row for ${JSON.stringify(size)}`);
  return row;
}
