import type { FaultAction, LargeShape } from "./actions.ts";

interface Shape {
  readonly head: string;
  /** Repeated; one byte for `padding` can be left over. */
  readonly unit: string;
  readonly tail: (units: number) => string;
}

const SHAPES: Readonly<Record<LargeShape, Shape>> = {
  objects: { head: "[{}", unit: ",{}", tail: () => "]" },
  arrays: { head: "[", unit: "[", tail: (units) => "]".repeat(units + 1) },
  text: { head: '"', unit: "x", tail: () => '"' },
};
const PIECE_BYTES = 65_536;

/** A JSON document of exactly so many bytes, in pieces. White space fills what the shape's unit does not divide. */
export function* largeBody({ bytes, shape }: Extract<FaultAction, { kind: "large" }>): Generator<Buffer> {
  const { head, unit, tail } = SHAPES[shape];
  const isNested = tail(1).length > tail(0).length;
  const units = Math.max(0, Math.floor((bytes - head.length - tail(0).length) / (unit.length + (isNested ? 1 : 0))));
  const end = tail(units);
  const padding = " ".repeat(Math.max(0, bytes - head.length - units * unit.length - end.length));
  yield Buffer.from(head);
  yield* repeated(unit, units);
  for (let start = 0; start < end.length; start += PIECE_BYTES)
    yield Buffer.from(end.slice(start, start + PIECE_BYTES));
  if (padding !== "") yield Buffer.from(padding);
}

function* repeated(unit: string, times: number): Generator<Buffer> {
  const perPiece = Math.floor(PIECE_BYTES / unit.length);
  const piece = Buffer.from(unit.repeat(Math.min(perPiece, times)));
  for (let left = times; left > 0; left -= perPiece) yield piece.subarray(0, Math.min(perPiece, left) * unit.length);
}
