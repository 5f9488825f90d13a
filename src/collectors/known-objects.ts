import { crc32 } from "node:zlib";
import type { Logger } from "pino";
import { describeError } from "../errors/exporter-error.ts";
import type { Clock } from "../lib/clock.ts";
import { LogOnChange } from "../lib/log-on-change.ts";
import { TimeSlices } from "../lib/yielding.ts";
import { EMPTY_TREE, NODE_KINDS, type NodePoll, type Tree } from "../model/tree.ts";
import type { NodeKind } from "../prtg/records.ts";
import type { StateFiles } from "../sync/state-files.ts";
import { decodeObjects, encodeObjects, isObjectId, MAX_OBJECTS, objectsFileName } from "./known-objects-file.ts";
import type { KnownObject } from "./one-by-one.ts";

/** What comes with the first lists is one write. */
const FIRST_SAVE_AFTER_MS = 30_000;
/** A kill costs at most what came or went within this time: lists, where there are any, tell it again. */
const SAVE_EVERY_MS = 5 * 60_000;
const REMIND_EVERY_MS = 60 * 60_000;
const CONSEQUENCE = "after a restart nothing would be shown of a server that has no lists then";

export interface KnownObjectsOptions {
  readonly server: string;
  /** As of the last commit. */
  readonly tree: () => Tree;
  /** Undefined where nothing outlasts the process. */
  readonly files: StateFiles | undefined;
  /** Print of what is selected of the server: what is known under another selection says nothing. */
  readonly selection: string;
  readonly clock: Clock;
  readonly log: Logger;
}

/**
 * The objects of a server, for reading them one by one where it has no lists: those of the tree, and of kinds whose lists did
 * not come since the start those that an earlier process knew. Their ids are in a file, which is read only when it is needed,
 * and written when they changed, every few minutes at most, and at the end.
 */
export class KnownObjects {
  readonly #options: KnownObjectsOptions;
  readonly #ending = new AbortController();
  readonly #failures: LogOnChange;
  #files: StateFiles | undefined;
  #selection: string;
  /** Of an earlier process, of kinds whose lists did not come. */
  #before = new Map<NodeKind, Set<string>>();
  #opening: Promise<void> | undefined;
  /** Kinds of which a whole list came. */
  readonly #listed = new Set<NodeKind>();
  /** What the file was made of, and what it came to. */
  #savedTree: Tree | undefined = EMPTY_TREE;
  #savedText: string | undefined;
  /** Monotonic. */
  #savedAt: number | undefined;
  #saving: Promise<void> = Promise.resolve();
  #waiting = false;

  constructor(options: KnownObjectsOptions) {
    this.#options = options;
    this.#files = options.files;
    this.#selection = options.selection;
    this.#failures = new LogOnChange({ remindEveryMs: REMIND_EVERY_MS, now: () => options.clock.monotonic() });
  }

  /** Whether there are objects of this kind to be read one by one. */
  async has(kind: NodeKind): Promise<boolean> {
    if (this.#options.tree().counts[kind] > 0) return true;
    if (this.#listed.has(kind)) return false;
    await this.#open();
    return (this.#before.get(kind)?.size ?? 0) > 0;
  }

  /** Objects of these kinds: those of the tree, then, what is above others first, those that only an earlier process knew. */
  *of(kinds: ReadonlySet<NodeKind>): Iterable<KnownObject<NodeKind>> {
    const { nodes } = this.#options.tree();
    for (const { id, kind } of nodes.values()) if (kinds.has(kind)) yield { id, kind };
    for (const kind of NODE_KINDS) {
      if (!kinds.has(kind)) continue;
      for (const id of this.#before.get(kind) ?? []) if (!nodes.has(id)) yield { id, kind };
    }
  }

  /** Lists came: what they do not show says nothing any more. */
  listed(poll: NodePoll): void {
    for (const kind of NODE_KINDS) {
      if (poll[kind]?.complete !== true) continue;
      this.#listed.add(kind);
      this.#before.delete(kind);
    }
  }

  /** These are not there any more. */
  gone(ids: ReadonlySet<string>): void {
    for (const known of this.#before.values()) {
      for (const id of ids) if (known.delete(id)) this.#savedTree = undefined;
    }
  }

  /** A run has ended: what is known may have changed. */
  note(): void {
    const { tree, clock } = this.#options;
    const { signal } = this.#ending;
    if (this.#files === undefined || this.#waiting || signal.aborted || tree() === this.#savedTree) return;
    this.#waiting = true;
    const untilNext = (this.#savedAt ?? Number.NEGATIVE_INFINITY) + SAVE_EVERY_MS - clock.monotonic();
    void clock.sleep(Math.max(FIRST_SAVE_AFTER_MS, untilNext), signal).then(
      async () => {
        this.#waiting = false;
        await this.#save();
        this.note();
      },
      () => undefined,
    );
  }

  /** What is known is kept in another place from now on, or is of another part of the server. */
  keep({ files, selection }: Pick<KnownObjectsOptions, "files" | "selection">): void {
    if (selection !== this.#selection) this.#before.clear();
    this.#files = files;
    this.#selection = selection;
    this.#savedTree = undefined;
    this.#savedText = undefined;
    this.note();
  }

  /** Writes what is left to write. Never rejects. */
  async end(): Promise<void> {
    this.#ending.abort();
    await this.#save();
  }

  #open(): Promise<void> {
    this.#opening ??= this.#read();
    return this.#opening;
  }

  /** A file that cannot be used is told, set aside, and starts anew. */
  async #read(): Promise<void> {
    const { server, log } = this.#options;
    const files = this.#files;
    const file = objectsFileName(server);
    const useless = (found: string, message: string) =>
      log.warn({ file, found }, `what was known of objects before is of no use: ${message}`);
    let text: string | undefined;
    try {
      text = await files?.read(file);
    } catch (error) {
      return useless("unreadable", describeError(error));
    }
    if (text === undefined) return;
    const decoded = decodeObjects(text, server);
    if ("problem" in decoded) {
      await files?.rename(file, `${file}.${decoded.problem}`).catch(() => undefined);
      return useless(decoded.problem, decoded.message);
    }
    if (decoded.selection !== this.#selection) {
      return useless("reselected", "another part of the server was selected then");
    }
    for (const [kind, ids] of decoded.ids) if (!this.#listed.has(kind)) this.#before.set(kind, new Set(ids));
    const objects = [...this.#before.values()].reduce((sum, ids) => sum + ids.size, 0);
    log.info({ file, objects }, "objects are known from before the start");
  }

  /** One at a time. */
  #save(): Promise<void> {
    this.#saving = this.#saving.then(() => this.#saveNow());
    return this.#saving;
  }

  async #saveNow(): Promise<void> {
    const { server, tree, clock, log } = this.#options;
    const files = this.#files;
    const current = tree();
    if (files === undefined || current === this.#savedTree) return;
    // Of kinds whose lists did not come, an earlier process may know more.
    if (NODE_KINDS.some((kind) => !this.#listed.has(kind))) await this.#open();
    this.#savedTree = current;
    this.#savedAt = clock.monotonic();
    const text = encodeObjects(server, this.#selection, await this.#collect());
    const print = `${text.length} ${crc32(text)}`;
    if (print === this.#savedText) return;
    const file = objectsFileName(server);
    try {
      await files.write(`${file}.tmp`, text);
      await files.rename(`${file}.tmp`, file);
      await files.syncDirectory();
    } catch (error) {
      this.#savedTree = undefined;
      const occasion = this.#failures.met();
      const what = occasion?.isNew === true ? "cannot be written" : "still cannot be written";
      if (occasion !== undefined) log.warn(`known objects ${what}: ${describeError(error)}; ${CONSEQUENCE}`);
      return;
    }
    this.#savedText = print;
    if (this.#failures.over() > 0) log.info("known objects can be written again");
  }

  async #collect(): Promise<ReadonlyMap<NodeKind, ReadonlySet<string>>> {
    const slices = new TimeSlices(this.#options.clock);
    const ids = new Map(NODE_KINDS.map((kind) => [kind, new Set<string>()] as const));
    let count = 0;
    for (const { id, kind } of this.of(new Set(NODE_KINDS))) {
      const turn = slices.step();
      if (turn !== undefined) await turn;
      if (!isObjectId(id)) continue;
      if (++count > MAX_OBJECTS) break;
      ids.get(kind)?.add(id);
    }
    return ids;
  }
}
