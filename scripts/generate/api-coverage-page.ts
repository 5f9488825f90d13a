import {
  availabilityOf,
  type ContractDocument,
  type DocumentOperation,
  openDocument,
} from "prtg-simulator/src/api/contract/document.ts";
import { ENDPOINTS } from "prtg-simulator/src/api/endpoints/table.ts";
import { RELEASE_NAMES, releaseOf } from "prtg-simulator/src/release/release.ts";
import { EXPORTER_USE } from "./exporter-use.ts";
import { code, pageHead, table } from "./markdown.ts";
import { type Reading, readingsOf } from "./our-readings.ts";

const INTRODUCTION = `
All operations of PRTG's REST API v2, from the contract [packages/simulator/api/openapi.yaml](../packages/simulator/api/openapi.yaml). Paths
are below \`/api/v2\`. The column *Exporter* says for what the exporter uses the operation.

- **experimental**: PRTG can change or remove the operation in any release. [Releases](#releases) lists the first release, if it is known.
- **deprecated**: the operation still works. The arrow points to its replacement.

[packages/simulator/test/api/specification](../packages/simulator/test/api/specification) has requests for every operation: success, absence in older
releases, and each documented error. A test lists operations without requests.

The specification does not show everything. The rest is [our reading](#our-readings), or was seen on live servers.
`;

const READINGS = `
## Our readings

Our assumptions about details that the specification does not have or show, and the reasons. The contract marks them with
\`x-our-reading\` or \`x-seen-live\`, and a test checks this. A name such as \`License\` or \`Reference.type\` is a schema of the contract
or its field. Comments in the simulator describe behaviour that the specification does not show.

`;

const RELEASES = `
## Releases

Operations that a release or [spelling](simulator.md#spelling) lacks. All other operations are in every release and both spellings. *Since* is the
release in the specification, or in which clients of live servers saw the operation. The third number of a version counts:
25.x.112 comes before 25.4.114. The other columns are the releases of the simulator. *Live* and *specification* mean that only this
spelling has the operation. The contract has them as \`x-since\`, \`x-since-live\` and \`x-spelling\`.

A server that lacks an operation answers 404 \`NOT_FOUND\`. If the path has other methods, it answers 405 \`METHOD_NOT_IMPLEMENTED\` with \`Allow\`.

`;

export async function apiCoveragePage(): Promise<string> {
  const document = await openDocument();
  const { paths } = document;
  const handled = new Set<string>(ENDPOINTS.map(({ operation }) => operation));
  const rows = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => [
      `${code(`${method.toUpperCase()} ${path}`)}`,
      operation.summary,
      maturityOf(operation),
      handled.has(operation.operationId) ? "yes" : "no",
      EXPORTER_USE[operation.operationId] ?? "",
    ]),
  );
  const answered = rows.filter(([, , , simulated]) => simulated === "yes").length;
  return [
    pageHead("Coverage of the API", "packages/simulator/api/openapi.yaml and scripts/generate/exporter-use.ts"),
    INTRODUCTION,
    `\nThe simulator answers ${answered} of ${rows.length} operations. The exporter uses ${Object.keys(EXPORTER_USE).length}.\n\n`,
    table(["Operation", "What it does", "Maturity", "Simulator", "Exporter"], rows),
    RELEASES,
    table(["Operation", "Since", ...RELEASE_NAMES], releaseRows(document)),
    READINGS,
    table(["What", "Reading", "Operations"], readingsOf(document).map(readingRow)),
  ].join("");
}

function releaseRows({ paths }: ContractDocument): string[][] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).flatMap(([method, operation]) => {
      const availability = availabilityOf(operation);
      const { since = "", sinceLive } = availability;
      if (since === "" && availability.spelling === undefined) return [];
      const named = sinceLive === undefined ? since : `${since}, live ${sinceLive}`;
      const cells = RELEASE_NAMES.map((name) => {
        const [specification, live] = SPELLINGS.map((spelling) => releaseOf(name, spelling).has(availability));
        if (specification === live) return live ? "yes" : "no";
        return live ? "live" : "specification";
      });
      return [[code(`${method.toUpperCase()} ${path}`), named, ...cells]];
    }),
  );
}

const SPELLINGS = ["specification", "live"] as const;
const MAX_NAMED = 3;

function readingRow({ what, why, operations }: Reading): string[] {
  const others = operations.filter((operation) => operation !== what);
  const named = others.length <= MAX_NAMED ? others.map(code).join(", ") : `${others.length} operations`;
  return [what.startsWith("parameter ") || what.startsWith("header ") ? what : code(what), why, named];
}

function maturityOf(operation: DocumentOperation): string {
  const maturity = operation["x-maturity"];
  const isInvented = operation["x-our-reading"]?.startsWith("Not in the specification") === true;
  if (isInvented || operation["x-seen-live"] !== undefined) return `${maturity}, not in the specification`;
  if (maturity === "deprecated") {
    const successor = operation["x-successor"] ?? "";
    const replacement = successor.startsWith("GET ") ? code(successor) : successor;
    return `deprecated since ${operation["x-deprecated-since"]} → ${replacement}`;
  }
  return maturity;
}
