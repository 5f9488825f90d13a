import { createHmac, randomBytes } from "node:crypto";
import { bcryptCost, type Users } from "../web-config/users.ts";
import type { BcryptThread } from "./bcrypt-thread.ts";
import { FairQueue } from "./fair-queue.ts";

export interface BasicCredentials {
  readonly name: string;
  readonly password: string;
}

/** The credentials of an Authorization header (RFC 7617); undefined when it holds none. */
export function parseBasicAuth(header: string | undefined): BasicCredentials | undefined {
  const encoded = /^basic +([A-Za-z0-9+/]+={0,2})$/i.exec(header ?? "")?.[1];
  if (encoded === undefined) return undefined;
  const text = Buffer.from(encoded, "base64").toString("utf8");
  const colon = text.indexOf(":");
  return colon === -1 ? undefined : { name: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** Compares one password with one hash. */
export type Compare = BcryptThread["compare"];

export type PasswordCheck = "right" | "wrong" | "busy";

/** Wrong pairs that are remembered; right ones are few, for each user has one password. */
const MAX_WRONG = 100;
/** Comparisons under way or waiting for their turn: each takes a core for a while. */
const MAX_WAITING = 16;
/** Cost of the dummy hash when there are no users. */
const USUAL_COST = 10;

/**
 * Says whether a user name and a password belong together. Each pair is computed once: what it came to is remembered
 * under a keyed hash, never as the password. A name that is unknown takes as long as one that is known.
 */
export class PasswordChecker {
  readonly #compare: Compare;
  readonly #key = randomBytes(32);
  readonly #right = new Set<string>();
  readonly #wrong = new Set<string>();
  readonly #underWay = new Map<string, Promise<PasswordCheck>>();
  readonly #queue = new FairQueue(MAX_WAITING);

  constructor(compare: Compare) {
    this.#compare = compare;
  }

  /**
   * `client`: the address that asks. Addresses take turns, so that one which guesses passwords keeps no other out.
   * Rejects when comparing fails.
   */
  async check(users: Users, name: string, password: string, client = ""): Promise<PasswordCheck> {
    const known = users.get(name);
    const hash = known ?? this.#dummy(users, name);
    const pair = this.#digest([name, hash, password]);
    // A name that was taken from the file may not come in by what is remembered.
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

  /** Forgets everything, since the users have changed. */
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

  /**
   * A hash that nothing matches. Its cost is that of one of the users, always the same for the same name: with another
   * one, or the same for all unknown names, the time would tell who exists.
   */
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
