import type { AccessLevel, ApiKey, User } from "./accounts.ts";

export interface NewKey {
  readonly name: string;
  readonly description?: string | undefined;
  readonly accessLevel: AccessLevel;
  /** Milliseconds since the epoch; undefined: never. */
  readonly expiresAt?: number | undefined;
}

/** Keys in the order of their creation. The text of a key is shown once, when it is created. */
export class ApiKeys {
  readonly #random: () => number;
  readonly #byId = new Map<string, ApiKey>();
  readonly #byText = new Map<string, ApiKey>();
  #lastId: number;

  /** @param lastId Ids are counted up from here. */
  constructor(random: () => number, lastId: number) {
    this.#random = random;
    this.#lastId = lastId;
  }

  /** Without a text, a new one is made up. */
  create(user: User, draft: NewKey, now: number, text = keyText(this.#random)): { key: ApiKey; text: string } {
    const { name, description = "", accessLevel, expiresAt } = draft;
    const id = String(++this.#lastId);
    const key = { id, user, name, description, accessLevel, createdAt: now, expiresAt, lastUsedAt: undefined };
    this.#byId.set(id, key);
    this.#byText.set(text, key);
    return { key, text };
  }

  find(id: string): ApiKey | undefined {
    return this.#byId.get(id);
  }

  /** Whether or not the key may still be used. */
  findByText(text: string): ApiKey | undefined {
    return this.#byText.get(text);
  }

  of(user: User): readonly ApiKey[] {
    return [...this.#byId.values()].filter((key) => key.user === user);
  }

  edit(key: ApiKey, changes: Partial<Pick<ApiKey, "name" | "description" | "accessLevel">>): void {
    Object.assign(key, changes);
  }

  /** It is refused from now on. */
  delete(key: ApiKey): void {
    this.#byId.delete(key.id);
    for (const [text, known] of this.#byText) if (known === key) this.#byText.delete(text);
  }

  /** The key with this text, unless it has expired. */
  use(text: string, now: number): ApiKey | undefined {
    const key = this.#byText.get(text);
    if (key === undefined || (key.expiresAt !== undefined && key.expiresAt <= now)) return undefined;
    key.lastUsedAt = now;
    return key;
  }
}

const BASE32 = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";
/** 256 bits in base32: 52 characters, and 4 of padding. */
const CHARACTERS = 52;

function keyText(random: () => number): string {
  let text = "";
  // The last character stands for a single bit.
  while (text.length < CHARACTERS - 1) text += BASE32[Math.floor(random() * 32)];
  return `${text}${random() < 0.5 ? "A" : "Q"}====`;
}
