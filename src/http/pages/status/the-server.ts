import type { StatusReport, WholeServerReport } from "./report.ts";

/** For a report about one server. */
export function theServerOf({ servers }: Pick<StatusReport, "servers">): WholeServerReport | undefined {
  const [server] = servers;
  if (server === undefined) return undefined;
  const { collectors, api, problems, measurements } = server;
  if (collectors === undefined || api === undefined || problems === undefined || measurements === undefined) {
    return undefined;
  }
  return { ...server, collectors, api, problems, measurements };
}
