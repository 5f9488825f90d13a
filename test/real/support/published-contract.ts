import type { Simulator } from "prtg-simulator/src/simulator.ts";
import { z } from "zod";
import { TEST_KEY } from "../../support/simulated-exporter.ts";

export interface PublishedOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  /** Of 400 answers. */
  readonly codes: readonly string[];
}

export interface PublishedContract {
  /** OpenAPI as received. */
  readonly text: string;
  readonly operations: readonly PublishedOperation[];
}

const REFERENCE = z.object({ $ref: z.string() });
const RESPONSE = z.object({
  content: z.object({
    "application/json": z.object({
      schema: z.object({
        allOf: z.tuple([
          z.unknown(),
          z.object({ properties: z.object({ code: z.object({ enum: z.array(z.string()) }) }) }),
        ]),
      }),
    }),
  }),
});
const DOCUMENT = z.object({
  paths: z.record(
    z.string(),
    z.record(z.string(), z.object({ operationId: z.string(), responses: z.record(z.string(), z.unknown()) })),
  ),
  components: z.object({ responses: z.record(z.string(), z.unknown()) }),
});

/** Contract of the simulator's release and spelling. Needs the control endpoint. */
export async function readContract({ url }: Simulator): Promise<PublishedContract> {
  const answer = await fetch(`${url}/simulator/contract`, { headers: { Authorization: `Bearer ${TEST_KEY}` } });
  const text = await answer.text();
  const { paths, components } = DOCUMENT.parse(JSON.parse(text));
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, { operationId, responses }]): PublishedOperation => {
      const refusal = responses["400"];
      return {
        ...{ id: operationId, method: method.toUpperCase(), path },
        codes: refusal === undefined ? [] : codesOf(components.responses, refusal),
      };
    }),
  );
  return { text, operations };
}

function codesOf(responses: Readonly<Record<string, unknown>>, refusal: unknown): readonly string[] {
  const { $ref } = REFERENCE.parse(refusal);
  const { content } = RESPONSE.parse(responses[$ref.split("/").at(-1) ?? ""]);
  return content["application/json"].schema.allOf[1].properties.code.enum;
}
