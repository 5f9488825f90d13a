import { createHmac, randomBytes } from "node:crypto";
import { formatKey } from "../../config/origin.ts";
import { FairQueue } from "../server/fair-queue.ts";
import type { SettingProblem } from "../web-config/pem-settings.ts";
import type { BcryptThread } from "./bcrypt-thread.ts";

export interface BasicCredentials {
  readonly name: string;
  readonly password: string;
}

/** RFC 7617 */
export function parseBasicAuth(header: string | undefined): BasicCredentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? "")?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

export type Compare = BcryptThread["compare"];

export type PasswordCheck = "right" | "wrong" | "busy";

const MAX_WRONG = 100;
/** Each check takes a CPU core for a while. */
const MAX_WAITING = 16;
/** Cost of the dummy hash without users. */
const USUAL_COST = 10;

/** Checks passwords. Computes each pair once and keeps the result under a keyed hash. Unknown names take as long as known ones. */
export class PasswordChecker {
  readonly #compare: Compare;
  readonly #key = randomBytes(32);
  readonly #right = new Set<string>();
  readonly #wrong = new Set<string>();
  readonly #underWay = new Map<string, Promise<PasswordCheck>>();
  readonly #queue = new FairQueue({ atOnce: 1, max: MAX_WAITING });

  constructor(compare: Compare) {
    this.#compare = compare;
  }

  /**
   * Client addresses take turns, so guessing passwords does not block others. @param client IP address. Rejects if the comparison fails.
   */
  async check(users: Users, name: string, password: string, client = ""): Promise<PasswordCheck> {
    const known = users.get(name);
    const hash = known ?? this.#dummy(users, name);
    const pair = this.#digest([name, hash, password]);
    // A changed file may lack the name.
    if (this.#right.has(pair)) return known === undefined ? "wrong" : "right";
    if (this.#wrong.has(pair)) return "wrong";
    const underWay = this.#underWay.get(pair);
    if (underWay !== undefined) return underWay;
    const checked = this.#ask(pair, { password, hash }, known !== undefined, client);
    this.#underWay.set(pair, checked);
    try {
      return await checked;
    } finally {
      this.#underWay.delete(pair);
    }
  }

  forget(): void {
    this.#right.clear();
    this.#wrong.clear();
  }

  async #ask(
    pair: string,
    comparison: Parameters<Compare>[0],
    isKnown: boolean,
    client: string,
  ): Promise<PasswordCheck> {
    const leave = await this.#queue.take(client);
    if (leave === undefined) return "busy";
    const matches = await this.#compare(comparison).finally(leave);
    if (matches && isKnown) {
      this.#right.add(pair);
      return "right";
    }
    const [oldest] = this.#wrong;
    if (this.#wrong.size >= MAX_WRONG && oldest !== undefined) this.#wrong.delete(oldest);
    this.#wrong.add(pair);
    return "wrong";
  }

  /** Hash that matches no password, with the same cost for the same name. The time must not reveal which users exist. */
  #dummy(users: Users, name: string): string {
    const hashes = [...users.values()];
    const draw = Number.parseInt(this.#digest([name]).slice(0, 8), 16);
    const example = hashes[draw % Math.max(hashes.length, 1)];
    const cost = example === undefined ? USUAL_COST : bcryptCost(example);
    return `$2b$${String(cost).padStart(2, "0")}$${".".repeat(53)}`;
  }

  #digest(parts: readonly string[]): string {
    return createHmac("sha256", this.#key).update(JSON.stringify(parts)).digest("hex");
  }
}

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
