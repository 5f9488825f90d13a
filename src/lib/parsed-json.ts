/** `undefined` for a text that is not JSON. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The text of a JSON string. `undefined` for anything else. */
export function unquoted(text: string): string | undefined {
  const value = text.startsWith('"') ? parsedJson(text) : undefined;
  return typeof value === "string" ? value : undefined;
}
