/**
 * Reads `key1=value1,key2=value2` with percent-encoded keys and values, as OTEL_EXPORTER_OTLP_HEADERS and
 * OTEL_RESOURCE_ATTRIBUTES have it; a later key wins. Undefined when any part of it is not of that form: half of what
 * was meant is worse than nothing.
 * @see https://opentelemetry.io/docs/specs/otel/resource/sdk/#specifying-resource-information-via-an-environment-variable
 */
export function parseKeyValues(text: string): ReadonlyMap<string, string> | undefined {
  const pairs = new Map<string, string>();
  for (const part of text.split(",")) {
    // A comma too many does no harm.
    if (part.trim() === "") continue;
    const separator = part.indexOf("=");
    const key = decode(part.slice(0, separator));
    const value = decode(part.slice(separator + 1));
    if (separator < 1 || key === undefined || key === "" || value === undefined) return undefined;
    pairs.set(key, value);
  }
  return pairs;
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text.trim());
  } catch {
    return undefined;
  }
}
