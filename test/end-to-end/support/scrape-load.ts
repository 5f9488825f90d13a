import { get } from "node:http";

interface ScrapeCounts {
  /** Number of whole answers by status. */
  readonly statuses: Readonly<Record<number, number>>;
  /** Answers that broke off. */
  readonly cut: number;
  /** Connections without an answer, which the reader repeats. */
  readonly refused: number;
}

const READERS = 4;

/** Readers scrape without a pause, each time with a new connection. */
export function startScrapes(port: number): { stop(): Promise<ScrapeCounts> } {
  const statuses: Record<number, number> = {};
  let [cut, refused, stopped] = [0, 0, false];
  const read = async (): Promise<void> => {
    while (!stopped) {
      const status = await scrape(port);
      if (status === "cut") cut++;
      else if (status === "refused") refused++;
      else statuses[status] = (statuses[status] ?? 0) + 1;
    }
  };
  const readers = Array.from({ length: READERS }, read);
  return {
    async stop() {
      stopped = true;
      await Promise.all(readers);
      return { statuses, cut, refused };
    },
  };
}

function scrape(port: number): Promise<number | "cut" | "refused"> {
  return new Promise((resolve) => {
    const request = get({ host: "127.0.0.1", port, path: "/metrics", agent: false }, (response) => {
      response.resume();
      response.on("end", () => resolve(response.complete ? (response.statusCode ?? 0) : "cut"));
      response.on("error", () => resolve("cut"));
    });
    request.on("error", () => resolve("refused"));
  });
}
