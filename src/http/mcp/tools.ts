import { getChanges } from "./changes-tool.ts";
import { explainSeries } from "./explain-tool.ts";
import { getHistory } from "./history-tool.ts";
import { findObjects, getObject } from "./object-tools.ts";
import { listOutages, listServers } from "./status-tools.ts";
import type { Tool } from "./tool.ts";

export const TOOLS: readonly Tool[] = [
  listServers,
  listOutages,
  findObjects,
  getObject,
  getChanges,
  getHistory,
  explainSeries,
];
