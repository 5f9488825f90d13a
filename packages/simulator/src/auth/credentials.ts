import { seededRandom } from "../random.ts";
import type { World } from "../world/model.ts";
import type { Scope } from "./accounts.ts";
import { type ConfiguredUser, Directory } from "./directory.ts";
import { defaultRestriction } from "./visibility.ts";

/** The accounts that can log in. The first key and the password are the system administrator's; further keys belong to further users. */
export interface Credentials {
  readonly apiKey: string;
  readonly username: string;
  readonly password: string;
  /** Key of a user who sees the whole tree, but may change nothing. */
  readonly readApiKey?: string;
  /** Key of a user who sees only a part of the tree: other objects are missing, references to them `restricted`. */
  readonly restrictedApiKey?: string;
  /** Ids of the objects that the restricted user sees, with what is below them; by default one group and some devices. */
  readonly restrictedTo?: readonly string[];
  /** Key of a user who sees the whole tree, but is FORBIDDEN the endpoints of `forbiddenEndpoints`. */
  readonly limitedApiKey?: string;
  /** Path templates; by default those about the system as a whole. */
  readonly forbiddenEndpoints?: readonly string[];
}

export const LIMITED_USER = "limited";

/** The users, groups and keys of a simulator, as its options say. */
export function createDirectory(world: World, credentials: Credentials, now: number): Directory {
  const { readApiKey, restrictedApiKey, limitedApiKey } = credentials;
  const administrator: ConfiguredUser = {
    loginName: credentials.username,
    name: "PRTG System Administrator",
    type: "administrator",
    scope: "everything",
    password: credentials.password,
    apiKey: credentials.apiKey,
  };
  const others: ConfiguredUser[] = [];
  if (restrictedApiKey !== undefined) {
    const scope = credentials.restrictedTo ?? defaultRestriction(world);
    const name = "Restricted User";
    others.push({ loginName: "restricted", name, type: "readwrite", scope, apiKey: restrictedApiKey });
  }
  if (limitedApiKey !== undefined) {
    const name = "Limited User";
    others.push({ loginName: LIMITED_USER, name, type: "readwrite", scope: "everything", apiKey: limitedApiKey });
  }
  if (readApiKey !== undefined) {
    const name = "Read-only User";
    others.push({ loginName: "reader", name, type: "readonly", scope: "everything", apiKey: readApiKey });
  }
  const scopes = { facility: facilities(world), branch: branch(world) };
  const random = seededRandom(world.seed ^ 0xd12ec);
  return new Directory({ configured: [administrator, ...others], scopes, now, random });
}

/** The objects that facility managers see. */
function facilities(world: World): Scope {
  const groups = world.list("group");
  const own = groups.filter(({ name }) => name === "Power & Cooling" || name === "Building");
  return (own.length > 0 ? own : groups.slice(0, 1)).map(({ id }) => id);
}

/** The last probe is the branch. */
function branch(world: World): Scope {
  return world
    .list("probe")
    .slice(-1)
    .map(({ id }) => id);
}
