import { inspect } from "node:util";
import { startAnsweringServer } from "./answering-server.ts";

/** Forwards OTLP requests unchanged to several receivers. */
export interface OtlpTee {
  readonly url: string;
  /** Status and body of answers other than plain success, and failed requests. */
  readonly complaints: readonly string[];
  close(): Promise<void>;
}

/** @param endpoints base URLs, extended by the request's path. */
export async function startOtlpTee(endpoints: readonly string[]): Promise<OtlpTee> {
  const complaints: string[] = [];
  const relay = await startAnsweringServer(async ({ url, headers: given, body }) => {
    const headers = new Headers();
    for (const name of ["content-type", "content-encoding"]) {
      const value = given[name];
      if (typeof value === "string") headers.set(name, value);
    }
    const answers = await Promise.all(
      endpoints.map((endpoint) =>
        fetch(`${endpoint}${url}`, { method: "POST", headers, body }).catch((error: unknown) => {
          complaints.push(`${endpoint}: ${inspect(error)}`);
          throw error;
        }),
      ),
    );
    for (const answer of answers) {
      const text = await answer.text();
      if (answer.status !== 200 || text !== "") complaints.push(`${answer.url}: ${answer.status} ${text}`);
    }
    return { status: Math.max(...answers.map(({ status }) => status)) };
  });
  return { ...relay, complaints };
}
