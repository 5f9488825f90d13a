import { API_KEY } from "../processes/simulator.ts";
import { type Spread, spreadOf } from "../statistics.ts";

const REPEATS = 15;

/** Time to parse a page of channels, as a measure of the machine. */
export class Calibration {
  readonly #page: string;
  readonly #clockMs: number[] = [];
  readonly #ownMs: number[] = [];

  private constructor(page: string) {
    this.#page = page;
  }

  static async of(server: string): Promise<Calibration> {
    const response = await fetch(`${server}/api/v2/experimental/channels?limit=3000&offset=0`, {
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    if (!response.ok) throw new Error(`no page of channels: ${response.status}`);
    const calibration = new Calibration(await response.text());
    for (let repeat = 0; repeat < REPEATS; repeat++) JSON.parse(calibration.#page);
    return calibration;
  }

  measure(repeats = REPEATS): void {
    for (let repeat = 0; repeat < repeats; repeat++) {
      const own = ownTime();
      const started = performance.now();
      JSON.parse(this.#page);
      this.#clockMs.push(performance.now() - started);
      this.#ownMs.push(ownTime() - own);
    }
  }

  get clockMs(): Spread {
    return spreadOf(this.#clockMs);
  }

  /** Processor time of the thread. */
  get ownMs(): Spread {
    return spreadOf(this.#ownMs);
  }
}

function ownTime(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}
