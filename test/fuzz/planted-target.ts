import type { FuzzTarget } from "./target.ts";

/** To test the fuzzer. */
export function openPlanted(fault: string): FuzzTarget {
  const kept: string[] = [];
  const faults: Readonly<Record<string, (text: string) => void>> = {
    none: () => undefined,
    throws: (text) => {
      if (/X.*Y/.test(text)) throw new TypeError("planted");
    },
    rejects: (text) => {
      if (text.startsWith("7")) void Promise.reject(new Error("planted"));
    },
    warns: (text) => {
      if (text.startsWith("7")) process.emitWarning("planted");
    },
    hangs: (text) => {
      while (text.startsWith("7"));
    },
    works: (text) => {
      // Processor time, independent of other load.
      const until = text.startsWith("7") ? cpuMs() + 400 : 0;
      while (cpuMs() < until);
    },
    leaks: (text) => void kept.push(text.repeat(2_000)),
    dies: (text) => {
      if (text.startsWith("7")) setImmediate(() => fail());
    },
  };
  return {
    name: "planted",
    draw: (random) => {
      const digits = String(Math.floor(random() * 1e9));
      return { variant: fault, text: random() < 0.05 ? `${digits}X${digits}Y${digits}` : digits };
    },
    run: ({ text }) => {
      // A rope would only hold the digits.
      faults[fault]?.(Buffer.from(text).toString());
      if (fault === "leaks") Buffer.from(kept.at(-1) ?? "");
    },
  };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1_000;
}

function fail(): never {
  throw new Error("planted");
}
