import { chmod, readdir, stat } from "node:fs/promises";
import { withinTime } from "../lib/bounded-files.ts";
import { printable } from "../lib/printable-text.ts";
import { PRIVATE_DIRECTORY } from "../lib/private-file.ts";

const OTHERS = 0o007;
const SET_GROUP = 0o2000;

/** Of the exporter. A directory that holds anything else is not its own. */
const STATE_FILE =
  /^(claims\.lock|claim-[\w-]+\.(lock|json(\.tmp)?)|(watermarks|objects|events)-.+|instance-id(-\d+)?|backfill)$/;

/** Who else may use the directory of the state. */
export interface StateDirectoryFinding {
  /** `closed`: it was open, and is no more. `volume`: Kubernetes opened it, and only the containers of its pod see it. */
  readonly kind: "open" | "closed" | "volume";
  readonly text: string;
}

/**
 * Looks at the rights of a directory; undefined if it is for its owner and group only, is not there yet, or is on
 * Windows. `mend`: close it, if it belongs to this user and holds nothing but state, as those that older releases made.
 * Never rejects.
 */
export async function inspectStateDirectory(path: string, mend: boolean): Promise<StateDirectoryFinding | undefined> {
  const uid = process.geteuid?.();
  if (uid === undefined) return undefined;
  return withinTime(path, () => inspect(path, mend, uid)).catch(() => undefined);
}

async function inspect(path: string, mend: boolean, uid: number): Promise<StateDirectoryFinding | undefined> {
  const facts = await stat(path);
  if ((facts.mode & OTHERS) === 0) return undefined;
  const rights = `state_dir ${printable(path)} is open to every user of the system (mode ${octal(facts.mode)})`;
  // As Kubernetes does for volumes of a pod with an fsGroup. Without this bit the group of the next pod has no rights.
  if ((facts.mode & SET_GROUP) !== 0) return { kind: "volume", text: rights };
  const isOurs = facts.uid === uid && (await readdir(path)).every((name) => STATE_FILE.test(name));
  if (isOurs && mend) {
    await chmod(path, PRIVATE_DIRECTORY);
    return { kind: "closed", text: `state_dir ${printable(path)} had mode ${octal(facts.mode)}, now 0700` };
  }
  const remedy = isOurs ? "serve sets mode 0700" : "set mode 0700, or give the exporter a directory of its own";
  return { kind: "open", text: `${rights}: ${remedy}` };
}

function octal(mode: number): string {
  return (mode & 0o7777).toString(8).padStart(4, "0");
}
