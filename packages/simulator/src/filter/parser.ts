import { excerpt, invalidFilter } from "./filter-error.ts";
import {
  type Expression,
  OPERATORS,
  type Operator,
  RELATIONS,
  RESERVED,
  type Relation,
  type Scalar,
  type Value,
} from "./syntax.ts";
import { type FilterSymbol, type Token, tokenize } from "./tokenizer.ts";

/** Deeper nesting than in any real filter; keeps the recursion off the end of the stack. */
const MAX_DEPTH = 100;

/** More than a URL or the body of an action can carry; keeps the time bounded however a filter comes in. */
const MAX_LENGTH = 16_384;

/** Precedence: `not` and the hierarchical prefixes, then `and`, then `or`. @throws FilterError */
export function parseFilter(filter: string): Expression {
  if (filter.length > MAX_LENGTH) throw invalidFilter(`longer than ${MAX_LENGTH} characters`, MAX_LENGTH);
  const parser = new Parser(tokenize(filter));
  return parser.whole();
}

class Parser {
  readonly #tokens: readonly Token[];
  #next = 0;
  #depth = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  whole(): Expression {
    const expression = this.#chain("or");
    const rest = this.#peek();
    if (rest.kind !== "end") throw invalidFilter(`expected and, or or the end, found ${found(rest)}`, rest.at);
    return expression;
  }

  #chain(connective: "or" | "and"): Expression {
    const operand = () => (connective === "or" ? this.#chain("and") : this.#unary());
    const first = operand();
    const terms = [first];
    while (this.#takeWord(connective)) terms.push(operand());
    return terms.length === 1 ? first : { kind: connective, terms, at: first.at };
  }

  #unary(): Expression {
    const token = this.#peek();
    this.#depth++;
    if (this.#depth > MAX_DEPTH) throw invalidFilter(`nested deeper than ${MAX_DEPTH} levels`, token.at);
    const expression = this.#unaryAt(token);
    this.#depth--;
    return expression;
  }

  #unaryAt(token: Token): Expression {
    if (this.#takeWord("not")) return { kind: "not", term: this.#unary(), at: token.at };
    const relation = RELATIONS.find((name) => token.kind === "word" && token.text === name);
    if (relation !== undefined && !this.#operatorFollows()) return this.#related(relation, token.at);
    if (this.#takeSymbol("(")) {
      const inner = this.#chain("or");
      this.#expectSymbol(")");
      return inner;
    }
    return this.#comparison();
  }

  #related(relation: Relation, at: number): Expression {
    this.#next++;
    return { kind: "related", relation, term: this.#unary(), at };
  }

  #comparison(): Expression {
    const property = this.#take();
    if (property.kind !== "word" || RESERVED.has(property.text)) {
      throw invalidFilter(`expected a property, found ${found(property)}`, property.at);
    }
    const token = this.#take();
    const operator = operatorOf(token);
    if (operator === undefined) throw invalidFilter(`expected an operator, found ${found(token)}`, token.at);
    const value = this.#value();
    return {
      kind: "comparison",
      property: property.text,
      operator,
      operatorAt: token.at,
      value,
      at: property.at,
    };
  }

  #value(): Value {
    const token = this.#peek();
    if (this.#takeWord("nil")) return { kind: "nil", at: token.at };
    if (!this.#takeSymbol("[")) return this.#scalar();
    const elements = [this.#scalar()];
    while (this.#takeSymbol(",")) {
      const element = this.#scalar();
      if (element.kind !== elements[0]?.kind) throw invalidFilter("elements of a list must be of one type", element.at);
      elements.push(element);
    }
    this.#expectSymbol("]");
    return { kind: "list", elements, at: token.at };
  }

  #scalar(): Scalar {
    const token = this.#take();
    const { at } = token;
    switch (token.kind) {
      case "text":
        return { kind: "text", text: token.text, at };
      case "number":
        return { kind: "number", digits: token.text, at };
      case "duration":
        return { kind: "duration", digits: token.text, at };
      case "word":
        if (token.text === "true" || token.text === "false") {
          return { kind: "boolean", value: token.text === "true", at };
        }
        if (!RESERVED.has(token.text)) return { kind: "identifier", name: token.text, at };
    }
    throw invalidFilter(`expected a value, found ${found(token)}`, at);
  }

  /** Whether the token after the next one is an operator: then the next one names a property. */
  #operatorFollows(): boolean {
    const token = this.#tokens[this.#next + 1];
    return token !== undefined && operatorOf(token) !== undefined;
  }

  #peek(): Token {
    return this.#tokens[this.#next] ?? { kind: "end", text: "", at: 0 };
  }

  /** The next token; stays on `end`. */
  #take(): Token {
    const token = this.#peek();
    if (token.kind !== "end") this.#next++;
    return token;
  }

  #takeWord(word: string): boolean {
    const token = this.#peek();
    const hit = token.kind === "word" && token.text === word;
    if (hit) this.#next++;
    return hit;
  }

  #takeSymbol(symbol: FilterSymbol): boolean {
    const token = this.#peek();
    const hit = token.kind === "symbol" && token.text === symbol;
    if (hit) this.#next++;
    return hit;
  }

  #expectSymbol(symbol: FilterSymbol): void {
    const token = this.#peek();
    if (!this.#takeSymbol(symbol)) throw invalidFilter(`expected ${symbol}, found ${found(token)}`, token.at);
  }
}

function operatorOf(token: Token): Operator | undefined {
  if (token.kind !== "word" && token.kind !== "symbol") return undefined;
  return OPERATORS.find((operator) => operator === token.text);
}

function found(token: Token): string {
  return token.kind === "end" ? "the end" : JSON.stringify(excerpt(token.text));
}
