import type { FaultAction } from "./actions.ts";
import { globParts } from "./glob.ts";
import { type Fault, FaultSyntaxError } from "./grammar.ts";
import { nearest } from "./nearest.ts";

/** What a fault can match of an operation. */
export interface FaultOperation {
  readonly method: string;
  /** Below `/api/v2`, placeholders in braces. */
  readonly path: string;
  /** Set if a request may leave out the value at the end of the path. */
  readonly lastDefault: string | undefined;
  /** Whether it takes `offset` and `limit`. */
  readonly paged: boolean;
  /** Names of its query parameters. */
  readonly queryNames: readonly string[];
}

/** Faults that change only lists with pages. */
const PAGED_ONLY: ReadonlySet<FaultAction["kind"]> = new Set<FaultAction["kind"]>([
  "moving-list",
  "execution-timeout",
  "endless-list",
  "long-names",
  "wrong-total",
  "odd-records",
  "text-values",
  "parents",
  "twin-ids",
  "swapped-kinds",
]);

/** @throws FaultSyntaxError for a fault that no operation can match, with the nearest names */
export function checkReach({ text, action, method, path, query }: Fault, operations: readonly FaultOperation[]): void {
  const refuse = (complaint: string) => new FaultSyntaxError(text, complaint);
  const glob = path?.glob;
  const atPath = glob === undefined ? operations : operations.filter((operation) => isAt(glob, operation));
  if (glob !== undefined && atPath.length === 0) {
    const paths = nearest(glob, new Set(operations.map((operation) => operation.path)));
    throw refuse(`no operation has the path ${glob}. The nearest paths: ${paths.join(", ")}`);
  }
  const reached = method === undefined ? atPath : atPath.filter((operation) => operation.method === method);
  if (reached.length === 0) {
    const methods = [...new Set(atPath.map((operation) => operation.method))].join(", ");
    throw refuse(`no operation has the method ${method} there. Use one of ${methods}`);
  }
  if (PAGED_ONLY.has(action.kind) && !reached.some(({ paged }) => paged)) {
    throw refuse(`${action.kind} needs a list with pages, and ${glob ?? "the path"} is none`);
  }
  const names = new Set(reached.flatMap(({ queryNames }) => queryNames));
  const refused = action.kind === "refuses" ? [action.parameter] : [];
  for (const name of [...query.map((wanted) => wanted.name), ...refused]) {
    if (names.has(name)) continue;
    const known = nearest(name, names).join(", ") || "none";
    throw refuse(`no operation there has the parameter ${name}. The nearest parameters: ${known}`);
  }
}

function isAt(glob: string, { path, lastDefault }: FaultOperation): boolean {
  if (globsMeet(glob, path)) return true;
  return lastDefault !== undefined && globsMeet(glob, path.replace(/\{\w+\}$/, ""));
}

/** One character, or any number of them. `undefined` in `only`: any character. `segment`: no slash. */
interface Piece {
  readonly only: string | undefined;
  readonly segment: boolean;
  readonly many: boolean;
}

function piecesOf(glob: string): readonly Piece[] {
  return globParts(glob).flatMap((part, index): Piece[] => {
    if (index % 2 === 0) return [...part].map((only) => ({ only, segment: false, many: false }));
    if (part.startsWith("*")) return [{ only: undefined, segment: false, many: true }];
    const piece = { only: undefined, segment: true };
    return [
      { ...piece, many: false },
      { ...piece, many: true },
    ];
  });
}

/** Whether a path exists that both the glob and the template of an operation match. */
export function globsMeet(glob: string, template: string): boolean {
  const [one, other] = [piecesOf(glob), piecesOf(template)];
  const failed = new Set<number>();
  const meet = (at: number, otherAt: number): boolean => {
    const key = at * (other.length + 1) + otherAt;
    if (failed.has(key)) return false;
    const [piece, otherPiece] = [one[at], other[otherAt]];
    if (piece === undefined && otherPiece === undefined) return true;
    const skips =
      (piece?.many === true && meet(at + 1, otherAt)) || (otherPiece?.many === true && meet(at, otherAt + 1));
    const steps =
      !skips &&
      piece !== undefined &&
      otherPiece !== undefined &&
      !(piece.many && otherPiece.many) &&
      areCompatible(piece, otherPiece) &&
      meet(piece.many ? at : at + 1, otherPiece.many ? otherAt : otherAt + 1);
    if (!skips && !steps) failed.add(key);
    return skips || steps;
  };
  return meet(0, 0);
}

function areCompatible(one: Piece, other: Piece): boolean {
  if (one.only !== undefined && other.only !== undefined) return one.only === other.only;
  const character = one.only ?? other.only;
  return character !== "/" || !(one.segment || other.segment);
}
