import { Program } from "./program.ts";
import type { AnsweredRequest } from "./truth.ts";

export const API_KEY = "key-of-the-soak";
export const USERNAME = "soak";
export const PASSWORD = "password of the soak";

export interface SiteOptions {
  readonly sensors: number;
  readonly channels: number;
  readonly groups: number;
  readonly seed: number;
}

/** A request as `GET /simulator/requests` shows it. */
interface ShownRequest {
  readonly request_id: string;
  readonly url: string;
  readonly status?: number;
  readonly at: string;
  readonly faults: readonly string[];
}

const KEPT_MS = 120_000;

/** A simulated monitoring server in a process of its own, steered by its control endpoint. */
export class SimulatedSite {
  readonly program: Program;
  readonly url: string;
  readonly #seen = new Map<string, AnsweredRequest>();

  private constructor(program: Program, url: string) {
    this.program = program;
    this.url = url;
  }

  static async start({ sensors, channels, groups, seed }: SiteOptions): Promise<SimulatedSite> {
    const size = ["--sensors", `${sensors}`, "--channels", `${channels}`, "--groups", `${groups}`, "--seed", `${seed}`];
    const access = [
      "--api-key",
      API_KEY,
      "--username",
      USERNAME,
      "--password",
      PASSWORD,
      "--control",
      "--hostile-names",
    ];
    const program = new Program(["simulate", ...size, ...access, "--listen-address", "127.0.0.1:0"]);
    const [, url = ""] = await program.until(/channels on (http:\/\/[^/\s]+)/);
    return new SimulatedSite(program, url);
  }

  /** @throws Error for any answer outside 2xx, and when no program listens */
  async control(method: string, path: string, body?: unknown): Promise<unknown> {
    const response = await fetch(`${this.url}/simulator${path}`, {
      method,
      headers: { Authorization: `Bearer ${API_KEY}` },
      signal: AbortSignal.timeout(10_000),
      ...(body !== undefined && { body: JSON.stringify(body) }),
    });
    if (!response.ok) throw new Error(`${method} ${path}: ${response.status} ${await response.text()}`);
    return response.json();
  }

  async addFault(fault: string): Promise<void> {
    await this.control("POST", "/faults", { fault });
  }

  async clearFaults(): Promise<void> {
    await this.control("DELETE", "/faults");
  }

  /** What it answered in the last two minutes; undefined while it is down. */
  async answers(): Promise<readonly AnsweredRequest[] | undefined> {
    const shown = await this.control("GET", "/requests?limit=400").catch(() => undefined);
    if (shown === undefined) return undefined;
    const { recent } = shown as { readonly recent: readonly ShownRequest[] };
    for (const { request_id, url, status, at, faults } of recent) {
      this.#seen.set(request_id, { url, status, at: Date.parse(at), faults });
    }
    const oldest = Date.now() - KEPT_MS;
    for (const [id, { at }] of this.#seen) if (at < oldest) this.#seen.delete(id);
    return [...this.#seen.values()];
  }

  /** Ids of a list, read as any client would. */
  async ids(kind: "sensors" | "devices"): Promise<string[]> {
    const response = await fetch(`${this.url}/api/v2/experimental/${kind}?limit=3000`, {
      headers: { Authorization: `Bearer ${API_KEY}` },
    });
    const items = (await response.json()) as readonly { readonly id: string }[];
    return items.map(({ id }) => id);
  }
}
