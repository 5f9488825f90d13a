import { setTimeout as sleep } from "node:timers/promises";
import type { SimulatorControl } from "./simulator.ts";

const LOOK_EVERY_MS = 50;
const PAGE = 3_000;
const CHANNELS = "/experimental/channels";

export async function waitForPolls(control: SimulatorControl, polls: number): Promise<void> {
  await waitFor(control, (offsets) => offsets.filter((offset) => offset === 0).length >= polls);
}

/** Until about the last page. `channels`: approximate number. */
export async function waitForPollEnd(control: SimulatorControl, channels: number): Promise<void> {
  const near = Math.max(0, 0.98 * channels - PAGE);
  await waitFor(control, (offsets) => {
    const begin = offsets.indexOf(0);
    return begin >= 0 && offsets.slice(begin).some((offset) => offset >= near);
  });
}

async function waitFor(control: SimulatorControl, isEnough: (offsets: readonly number[]) => boolean): Promise<void> {
  await control.forgetRequests();
  for (;;) {
    const { recent } = await control.requests(500);
    if (isEnough(channelPages(recent.map(({ url }) => url)))) return;
    await sleep(LOOK_EVERY_MS);
  }
}

/** Limits use the same list with another section. */
export function channelPages(urls: readonly string[]): number[] {
  return urls.flatMap((text) => {
    const { pathname, searchParams } = new URL(text, "http://server");
    const offset = searchParams.get("offset");
    return pathname.endsWith(CHANNELS) && offset !== null && !searchParams.has("include") ? [Number(offset)] : [];
  });
}
