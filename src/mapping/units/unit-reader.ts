import { type BaseUnitName, type Conversion, RATES } from "./base-units.ts";
import { DISPLAY_UNITS, type DisplayUnit } from "./display-units.ts";

/**
 * Size of `KB`, `KByte`, `MB`. Default `binary`: PRTG counts bytes in 1024s and bits in 1000s. `KiB` is always 1024
 * bytes and `kbit` 1000 bits.
 */
export type ByteUnits = "decimal" | "binary";

export interface UnitReading {
  readonly base: BaseUnitName;
  readonly conversion: Conversion;
}

/** Longer texts are not units. */
const MAX_LENGTH = 40;
const PER = /\s*(?:\/|\bper\s|\bpro\s|\bpar\s|\bpor\s)\s*/giu;
/** Seconds of the time units after a slash. Rates per millisecond do not occur. */
const RATE_SECONDS = [1, 60, 3600, 86_400];

export class UnitReader {
  readonly #symbols = new Map<string, UnitReading>();
  readonly #words = new Map<string, UnitReading>();

  constructor(byteUnits: ByteUnits) {
    for (const unit of DISPLAY_UNITS) {
      const reading = { base: unit.base, conversion: conversionOf(unit, byteUnits) };
      for (const symbol of unit.symbols) this.#symbols.set(normalise(symbol), reading);
      for (const word of unit.words) this.#words.set(normalise(word).toLowerCase(), reading);
    }
  }

  read(displayUnit: string): UnitReading | undefined {
    if (displayUnit.length > MAX_LENGTH) return undefined;
    const text = normalise(displayUnit);
    return this.#plain(text) ?? this.#rate(text);
  }

  #plain(text: string): UnitReading | undefined {
    return this.#symbols.get(text) ?? this.#words.get(text.toLowerCase());
  }

  /** `KByte/s`, `#/min`, `bytes per second`, `/s`. */
  #rate(text: string): UnitReading | undefined {
    const slash = [...text.matchAll(PER)].at(-1);
    if (slash === undefined) return undefined;
    const amountText = text.slice(0, slash.index);
    const amount = amountText === "" || amountText === "1" ? COUNT : this.#plain(amountText);
    // After a slash, `S` means seconds.
    const time = this.#plain(text.slice(slash.index + slash[0].length).toLowerCase());
    const base = amount === undefined ? undefined : RATES[amount.base];
    if (amount === undefined || base === undefined || time?.base !== "seconds") return undefined;
    const seconds = time.conversion.times;
    if (time.conversion.over !== 1 || !RATE_SECONDS.includes(seconds)) return undefined;
    return { base, conversion: { ...amount.conversion, over: amount.conversion.over * seconds } };
  }
}

const COUNT: UnitReading = { base: "count", conversion: { shift: 0, times: 1, over: 1, plus: 0 } };

function conversionOf({ shift = 0, times = 1, over = 1, binary }: DisplayUnit, byteUnits: ByteUnits): Conversion {
  return { shift, times: byteUnits === "binary" ? (binary ?? times) : times, over, plus: 0 };
}

/** NFC with single spaces. */
function normalise(text: string): string {
  return text.normalize("NFC").replaceAll(/\s+/gu, " ").trim();
}
