/** `ENOENT` and the like. `undefined` for other errors. */
export function errorCode(error: unknown): unknown {
  return error instanceof Error && "code" in error ? error.code : undefined;
}
