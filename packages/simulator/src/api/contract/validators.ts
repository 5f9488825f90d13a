import { Ajv2020 } from "ajv/dist/2020.js";
import { parseDateTime } from "../parameters.ts";
import type { ContractDocument, DocumentBody, DocumentParameter, Part } from "./document.ts";
import { bodyError, parameterError } from "./validation-errors.ts";

/** What the schemas of an operation are. */
export interface ValidatedParts {
  readonly parameters: readonly Part<DocumentParameter>[];
  readonly body: Part<DocumentBody> | undefined;
}

export interface Validator {
  /** @throws RequestRefused BAD_REQUEST */
  checkParameters(parts: ValidatedParts, values: ParameterValues): void;
  /** @throws RequestRefused BAD_REQUEST, INVALID_DURATION */
  checkBody(parts: ValidatedParts, body: unknown): void;
}

/** As texts, or lists of texts, by place and name. */
export type ParameterValues = Readonly<Record<DocumentParameter["in"], Readonly<Record<string, string | string[]>>>>;

/** The document, within the validator. */
const NAME = "contract";

/** Compiles a schema when its operation is first asked for: all of them together take too long. */
export function createValidator(document: ContractDocument): Validator {
  // A test checks the schemas; checking them at each start would take longer than compiling them.
  const options = { strict: false, validateSchema: false, meta: false, verbose: true };
  const formats = {
    "date-time": (text: string) => parseDateTime(text) !== undefined,
    int32: true,
    double: true,
    // The parsers of these two say where they are wrong.
    filter: true,
    "sort-by": true,
  } as const;
  // Parameters are texts; what is a number in a body has to be one.
  const ofParameters = new Ajv2020({ ...options, formats, coerceTypes: true }).addSchema(document, NAME);
  const ofBodies = new Ajv2020({ ...options, formats }).addSchema(document, NAME);
  const compiled = new Map<ValidatedParts | DocumentBody, ReturnType<typeof ofBodies.compile>>();

  const compile = (key: ValidatedParts | DocumentBody, make: () => ReturnType<typeof ofBodies.compile>) => {
    const known = compiled.get(key) ?? make();
    compiled.set(key, known);
    return known;
  };

  return {
    checkParameters(parts, values) {
      const validate = compile(parts, () => ofParameters.compile(parameterSchema(parts)));
      if (!validate({ path: { ...values.path }, query: { ...values.query } }))
        throw parameterError(validate.errors ?? []);
    },
    checkBody({ body: part }, body) {
      if (part === undefined || (body === undefined && part.value.required !== true)) return;
      const schema = { $ref: `${NAME}#${part.pointer}/content/application~1json/schema` };
      const validate = compile(part.value, () => ofBodies.compile(schema));
      if (!validate(body)) throw bodyError(body, validate.errors ?? []);
    },
  };
}

function parameterSchema({ parameters }: ValidatedParts): object {
  const placeSchema = (place: DocumentParameter["in"]): object => {
    const here = parameters.filter(({ value }) => value.in === place);
    return {
      type: "object",
      required: here.filter(({ value }) => value.required === true).map(({ value }) => value.name),
      properties: Object.fromEntries(
        here.map(({ value, pointer }) => [value.name, { $ref: `${NAME}#${pointer}/schema` }]),
      ),
    };
  };
  return { type: "object", properties: { path: placeSchema("path"), query: placeSchema("query") } };
}
