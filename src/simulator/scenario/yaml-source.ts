import { type Document, isMap, isNode, isScalar, LineCounter, type Node, parseDocument } from "yaml";
import { type Position, ScenarioError, type ScenarioProblem } from "./scenario-error.ts";

export type KeyPath = readonly PropertyKey[];

/** What aliases may multiply a file to. */
const MAX_ALIASES = 100;

/** A YAML or JSON document with the positions of its values. */
export class YamlSource {
  readonly file: string;
  /** Plain maps, lists and scalars. */
  readonly value: unknown;
  readonly #document: Document.Parsed;
  readonly #lines = new LineCounter();

  /** @throws ScenarioError for what is no YAML */
  constructor(text: string, file: string) {
    this.file = file;
    this.#document = parseDocument(text, {
      lineCounter: this.#lines,
      prettyErrors: false,
      version: "1.2",
      logLevel: "error",
    });
    const [fault] = this.#document.errors;
    if (fault !== undefined) {
      throw new ScenarioError(file, [
        { ...this.#positionAt(fault.pos[0]), key: "", text: `no YAML: ${fault.message}` },
      ]);
    }
    try {
      this.value = this.#document.toJS({ maxAliasCount: MAX_ALIASES });
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      throw new ScenarioError(file, [{ line: 1, column: 1, key: "", text }]);
    }
  }

  problem(path: KeyPath, text: string): ScenarioProblem {
    return { ...this.positionOf(path), key: formatKey(path), text };
  }

  /** Where the key stands, or the nearest thing around it that exists. */
  positionOf(path: KeyPath): Position {
    for (let length = path.length; length > 0; length--) {
      const found = this.#keyAt(path.slice(0, length));
      if (found !== undefined) return found;
    }
    return { line: 1, column: 1 };
  }

  #keyAt(path: KeyPath): Position | undefined {
    const last = path.at(-1);
    const parent = this.#nodeAt(path.slice(0, -1));
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && String(key.value) === String(last));
      return isNode(pair?.key) ? this.#positionOfNode(pair.key) : undefined;
    }
    const node = this.#nodeAt(path);
    return isNode(node) ? this.#positionOfNode(node) : undefined;
  }

  #nodeAt(path: KeyPath): unknown {
    return this.#document.getIn(path, true);
  }

  #positionOfNode(node: Node): Position | undefined {
    const offset = node.range?.[0];
    return offset === undefined ? undefined : this.#positionAt(offset);
  }

  #positionAt(offset: number): Position {
    const { line, col } = this.#lines.linePos(offset);
    return { line: Math.max(1, line), column: Math.max(1, col) };
  }
}

function formatKey(path: KeyPath): string {
  return path
    .map((part) => (typeof part === "number" ? `[${part}]` : `.${String(part)}`))
    .join("")
    .replace(/^\./, "");
}
