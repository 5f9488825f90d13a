import type { Config } from "../../config/load.ts";
import { printable } from "../../lib/printable-text.ts";

const MAX_SERVERS = 10;

const RESTRICTED_PAGES = "status page, search, charts, changes and metrics of";
const RESTRICTED_WITH_MCP = "status page, search, charts, changes, MCP tools and metrics of";

/**
 * What each user of the web server sees, one line each.
 * @param users Names in `basic_auth_users`. `undefined` without a web configuration.
 */
export function webUserLines(
  { web, servers }: Pick<Config, "web"> & { readonly servers: readonly { readonly name: string }[] },
  users: Iterable<string> | undefined,
): readonly string[] {
  if (users === undefined || web.users.size === 0) return [];
  const known = new Set(servers.map(({ name }) => name));
  return Array.from(users, (name) => {
    const user = web.users.get(name);
    const subject = `web user ${printable(name)}`;
    if (user === undefined) return `${subject}: every page of all ${known.size} servers, and of the exporter itself`;
    const theirs = [...new Set(user.servers)];
    const missing = theirs.filter((each) => !known.has(each));
    const sees = `${subject}: ${web.mcp ? RESTRICTED_WITH_MCP : RESTRICTED_PAGES} ${listed(theirs)}`;
    return missing.length === 0 ? sees : `${sees} (not configured here: ${listed(missing)})`;
  });
}

function listed(names: readonly string[]): string {
  const rest = names.length - MAX_SERVERS;
  const shown = names.slice(0, MAX_SERVERS).map(printable).join(", ");
  return rest > 0 ? `${shown} and ${rest} more` : shown;
}
