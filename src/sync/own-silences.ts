import { shortLine } from "../lib/printable-text.ts";
import type { Silence } from "./alertmanager.ts";

/** Of the author of our silences. The name of the server follows. */
export const SILENCE_AUTHOR = "PRTG ";

const MARK = "[prtg-exporter sync: ";
const KEY = /^((?:acknowledged|paused) ([^/\s]+)\/[^\]]+)\]$/;

/** Key of a sensor or another object. Names of servers may hold anything. */
export function sensorKey(server: string, id: string): string {
  return `${encodeURIComponent(server)}/${id}`;
}

export function partsOf(key: string): { readonly server: string; readonly sensorId: string } {
  const slash = key.indexOf("/");
  return { server: decodeURIComponent(key.slice(0, slash)), sensorId: key.slice(slash + 1) };
}

/** The comment of our silence. `key` says what it is for: Alertmanager is the only memory of our silences. */
export function ownComment(text: string, key: string): string {
  return `${text} ${MARK}${key}]`;
}

/** `undefined` for the silence of a user, even if it is a copy of ours. */
export function ownKeyOf({ createdBy, comment }: Pick<Silence, "createdBy" | "comment">) {
  const at = createdBy.startsWith(SILENCE_AUTHOR) ? comment.lastIndexOf(MARK) : -1;
  const [, text = "", encoded = ""] = (at >= 0 && KEY.exec(comment.slice(at + MARK.length))) || [];
  const server = decoded(encoded);
  return text === "" || server === undefined ? undefined : { text, server };
}

/** `undefined` for a text that this program did not encode. */
function decoded(text: string): string | undefined {
  try {
    return decodeURIComponent(text);
  } catch {
    return undefined;
  }
}

const MAX_MESSAGE = 300;

/** For messages and comments. Cut first: comments of silences can have megabytes. */
export function oneLine(text: string): string {
  return shortLine(text.slice(0, 10 * MAX_MESSAGE), MAX_MESSAGE);
}
