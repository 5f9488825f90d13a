import { benchAgents } from "./agents.ts";
import { benchLoop } from "./loop.ts";
import { benchMemory } from "./memory.ts";
import { benchOtlp } from "./otlp.ts";
import { benchOverload } from "./overload.ts";
import type { Part } from "./part.ts";
import { benchPeers } from "./peers.ts";
import { benchPoll } from "./poll.ts";
import { benchRequests } from "./requests.ts";
import { benchScale } from "./scale.ts";
import { benchScrape } from "./scrape.ts";
import { benchServers } from "./servers.ts";
import { benchStartup } from "./startup.ts";

export const PART_NAMES = [
  "peers",
  "scrape",
  "poll",
  "otlp",
  "loop",
  "agents",
  "memory",
  "requests",
  "startup",
  "scale",
  "servers",
  "overload",
] as const;
export type PartName = (typeof PART_NAMES)[number];

/** They take more than ten minutes together with the others: only by name or with `--all`. */
export const LONG_PARTS: readonly PartName[] = ["peers", "memory", "scale", "servers", "overload"];

export const PARTS: Readonly<Record<PartName, { readonly does: string; readonly run: Part }>> = {
  peers: { does: "the same series held by client_golang and prom-client", run: benchPeers },
  scrape: { does: "an idle scrape, beside nginx", run: benchScrape },
  poll: { does: "a poll of all channels, beside a bare loop of requests", run: benchPoll },
  otlp: { does: "an OTLP push, beside the SDK's serializer", run: benchOtlp },
  loop: { does: "turns of the event loop and scrapes while everything runs", run: benchLoop },
  agents: { does: "calls of AI agents beside scrapes and polls", run: benchAgents },
  memory: { does: "memory over 100 polls with churn", run: benchMemory },
  requests: { does: "requests of one cycle, over HTTP and HTTPS", run: benchRequests },
  startup: { does: "time to the first complete page", run: benchStartup },
  overload: { does: "scrapes while there is more to read than time", run: benchOverload },
  servers: { does: "many servers beside one with as many channels", run: benchServers },
  scale: { does: "what servers of several sizes need", run: benchScale },
};
