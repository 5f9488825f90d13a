/** By field, in order. Varints and 64-bit fields are bigints. */
export type Message = ReadonlyMap<number, readonly (bigint | Uint8Array)[]>;

/** Strictly follows the encoding. Rejects truncated input. */
export function readMessage(bytes: Uint8Array): Message {
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const fields = new Map<number, (bigint | Uint8Array)[]>();
  let position = 0;
  /** Nearly all tags and lengths fit one byte, and numbers are much faster than bigints. */
  const small = (): number => {
    const byte = bytes[position] ?? 128;
    if (byte >= 128) return Number(varint());
    position++;
    return byte;
  };
  const varint = (): bigint => {
    let value = 0n;
    for (let shift = 0n; ; shift += 7n) {
      const byte = BigInt(view.getUint8(position++));
      value |= (byte & 127n) << shift;
      if (byte < 128n) return value;
    }
  };
  while (position < bytes.length) {
    const tag = small();
    const field = tag >>> 3;
    const values = fields.get(field) ?? [];
    fields.set(field, values);
    const wireType = tag & 7;
    if (wireType === 0) values.push(varint());
    else if (wireType === 1) {
      values.push(view.getBigUint64(position, true));
      position += 8;
    } else if (wireType === 2) {
      const length = small();
      if (position + length > bytes.length) throw new Error("a field is cut off");
      values.push(bytes.subarray(position, position + length));
      position += length;
    } else throw new Error(`wire type ${wireType}`);
  }
  return fields;
}

export function messages(message: Message, field: number): Message[] {
  return (message.get(field) ?? []).map((value) => readMessage(asBytes(value)));
}

const UTF_8 = new TextDecoder("utf-8", { fatal: true });

export function text(message: Message, field: number): string {
  const value = message.get(field)?.at(-1);
  return value === undefined ? "" : UTF_8.decode(asBytes(value));
}

export function integer(message: Message, field: number): bigint {
  const value = message.get(field)?.at(-1) ?? 0n;
  if (typeof value !== "bigint") throw new Error(`field ${field} is no number`);
  return value;
}

export function double(message: Message, field: number): number {
  return toDouble(integer(message, field));
}

/** 64-bit numbers of a packed field. */
export function packed(message: Message, field: number): bigint[] {
  return (message.get(field) ?? []).flatMap((value) => {
    const bytes = asBytes(value);
    const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    return Array.from({ length: bytes.length / 8 }, (_, index) => view.getBigUint64(index * 8, true));
  });
}

export function toDouble(bits: bigint): number {
  const view = new DataView(new ArrayBuffer(8));
  view.setBigUint64(0, bits);
  return view.getFloat64(0);
}

function asBytes(value: bigint | Uint8Array): Uint8Array {
  if (typeof value === "bigint") throw new Error("a number where bytes were expected");
  return value;
}
