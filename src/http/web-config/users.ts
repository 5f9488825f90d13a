import { formatKey } from "../../config/origin.ts";
import type { SettingProblem } from "./pem-settings.ts";

const KEY = "basic_auth_users";
/** Hashes of hash-password, htpasswd and others. The letters mean the same algorithm, and the cost is 4 to 31. */
const BCRYPT_HASH = /^\$2[aby]\$(0[4-9]|[12]\d|3[01])\$[./A-Za-z0-9]{53}$/;

/** Schemas drop this key from maps, so `web.users` could not restrict it. */
const UNBINDABLE = "__proto__";

/** Bcrypt hashes by name. Empty: no passwords. */
export type Users = ReadonlyMap<string, string>;

/** Faults do not repeat the value, which may be a plain password. */
export function readUsers(section: unknown): Users | SettingProblem {
  if (section === undefined || section === null) return new Map();
  if (typeof section !== "object" || Array.isArray(section)) {
    return { path: [KEY], text: "expected a map of user names to bcrypt hashes, found something else (not shown)" };
  }
  const users = new Map<string, string>();
  for (const [name, hash] of Object.entries(section)) {
    if (name === UNBINDABLE) return { path: [KEY, name], text: "this user name is reserved" };
    if (typeof hash !== "string" || !BCRYPT_HASH.test(hash)) {
      const text = `expected a bcrypt hash for ${formatKey([name])}, found something else (not shown). Create one with prtg-exporter hash-password`;
      return { path: [KEY, name], text };
    }
    users.set(name, hash);
  }
  return users;
}

/** Base-2 logarithm of the rounds. */
export function bcryptCost(hash: string): number {
  return Number(hash.slice(4, 6));
}
