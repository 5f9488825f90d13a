import { gunzipSync } from "node:zlib";
import { headerOf, type Question } from "./gate.ts";

const LONGEST_LINE = 1_000;

/** One fact per line: JSON indented, Protobuf by field numbers. */
export function readableBody({ headers, body }: Question): string {
  const plain = headerOf(headers, "content-encoding") === "gzip" ? gunzipSync(body) : body;
  const type = headerOf(headers, "content-type") ?? "";
  if (type.includes("json")) return jsonLines(JSON.parse(plain.toString("utf8")), "").join("\n");
  if (type.includes("protobuf")) return messageLines(plain, "")?.join("\n") ?? plain.toString("hex");
  return plain.toString("utf8");
}

/** Short values stay on one line. */
function jsonLines(value: unknown, indent: string): string[] {
  const line = JSON.stringify(value);
  if (line.length <= LONGEST_LINE || typeof value !== "object" || value === null) return [indent + line];
  const isList = Array.isArray(value);
  const members = Object.entries(value).flatMap(([name, member]) => {
    const [first = "", ...rest] = jsonLines(member, `${indent} `);
    return isList ? [first, ...rest] : [`${indent} ${JSON.stringify(name)}:${first.slice(indent.length)}`, ...rest];
  });
  return [indent + (isList ? "[" : "{"), ...members, indent + (isList ? "]" : "}")];
}

/** Like `protoc --decode_raw`. Undefined: not a message. */
function messageLines(bytes: Buffer, indent: string): string[] | undefined {
  const lines: string[] = [];
  let at = 0;
  const varint = (): bigint | undefined => {
    let value = 0n;
    for (let shift = 0n; shift < 70n; shift += 7n) {
      const byte = bytes[at++];
      if (byte === undefined) return undefined;
      value |= BigInt(byte & 0x7f) << shift;
      if (byte < 0x80) return value;
    }
    return undefined;
  };
  while (at < bytes.length) {
    const tag = varint();
    if (tag === undefined || tag >> 3n === 0n) return undefined;
    const field = `${indent}${tag >> 3n}`;
    const wire = tag & 7n;
    if (wire === 0n) {
      const value = varint();
      if (value === undefined) return undefined;
      lines.push(`${field}: ${value}`);
    } else if (wire === 1n || wire === 5n) {
      const end = at + (wire === 1n ? 8 : 4);
      if (end > bytes.length) return undefined;
      lines.push(`${field}: 0x${bytes.toString("hex", at, end)}`);
      at = end;
    } else if (wire === 2n) {
      const length = varint();
      if (length === undefined || BigInt(at) + length > BigInt(bytes.length)) return undefined;
      const end = at + Number(length);
      const part = bytes.subarray(at, end);
      at = end;
      const text = part.toString("utf8");
      // biome-ignore lint/suspicious/noControlCharactersInRegex: these tell texts from messages
      const isText = !/[\u0000-\u0008\u000e-\u001f\ufffd]/.test(text);
      const inner = isText ? undefined : messageLines(part, `${indent}  `);
      if (inner === undefined) lines.push(`${field}: ${isText ? JSON.stringify(text) : part.toString("hex")}`);
      else {
        const line = `${field} { ${inner.map((text) => text.trim()).join("; ")} }`;
        lines.push(...(line.length <= LONGEST_LINE ? [line] : [`${field} {`, ...inner, `${indent}}`]));
      }
    } else return undefined;
  }
  return lines;
}
