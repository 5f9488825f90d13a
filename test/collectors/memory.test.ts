import { expect, test } from "vitest";
import { MemoryBudget } from "../../src/lib/memory-budget.ts";
import { TREE_FAMILIES } from "../../src/mapping/metric-table.ts";
import { stateBytes } from "../../src/model/tree.ts";
import { never } from "../support/never-aborted.ts";
import { memoryPipeline } from "./memory-pipeline.ts";
import { channel, smallServer } from "./small-server.ts";

const NODES = smallServer().nodeRecords.size;

test("a poll holds memory until the state adopts its lists, and the state holds its size", async () => {
  const memory = new MemoryBudget(1_000_000);
  const subject = memoryPipeline(smallServer(), { memory });
  const { server, monitor } = subject;
  server.recordBytes = 1_000;
  await monitor.pollOnce(never);
  const known = stateBytes(NODES, server.channelRecords.length);
  expect(memory.heldBytes).toBe(known);

  // It holds sensors while probes are blocked.
  const release = server.hold("probe");
  const [before, sensors] = [server.timesAsked("probe"), 2];
  const poll = monitor.pollOnce(never);
  await expect.poll(() => server.timesAsked("probe")).toBeGreaterThan(before);
  expect(memory.heldBytes).toBeGreaterThanOrEqual(known + sensors * 1_000);
  release();
  await poll;
  expect(memory.heldBytes).toBe(known);
});

test("a poll of channels holds their list until the state adopts it", async () => {
  const memory = new MemoryBudget(1_000_000);
  const { server, monitor } = memoryPipeline(smallServer(), { memory });
  server.recordBytes = 1_000;
  await monitor.pollOnce(never);
  const known = memory.heldBytes;
  const held: number[] = [];
  const { writer } = monitor;
  const applyChannels = writer.applyChannels.bind(writer);
  writer.applyChannels = async (list) => {
    held.push(memory.heldBytes);
    await applyChannels(list);
  };
  await monitor.pollOnce(never);
  expect(held).toEqual([known + server.channelRecords.length * 1_000]);
  expect(memory.heldBytes).toBe(known);
});

test("a state stays as it is if it would exceed memory, and can shrink", async () => {
  const subject = memoryPipeline(smallServer(), { memory: new MemoryBudget(stateBytes(NODES, 10)) });
  const { server, monitor } = subject;
  await monitor.pollOnce(never);
  const shown = () => subject.series(TREE_FAMILIES.sensorInfo).length;
  const before = shown();
  const few = server.channelRecords;
  server.channelRecords = Array.from({ length: 11 }, (_, id) => channel(`50.${id}`));
  expect(await monitor.pollOnce(never)).toBe(false);
  expect(subject.log.at(-1)).toMatchObject({ code: "API_MEMORY_FULL" });
  expect(shown()).toBe(before);
  expect(subject.monitor.view.state.channels.count).toBe(few.length);

  server.channelRecords = few.slice(0, 1);
  expect(await monitor.pollOnce(never)).toBe(true);
});
