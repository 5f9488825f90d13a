/**
 * The version of the monitoring server among the members of `GET /version`, undefined when there is none. The
 * specification names no member, so this takes what looks like a version, by name in this order: the product or its
 * core, `version` alone, anything with `version`, anything; the application server's only for want of another.
 */
export function serverVersion(members: ReadonlyMap<string, string>): string | undefined {
  const versions = [...members].filter(([, value]) => /^\s*v?\d+(\.\d+)+/i.test(value));
  const ofCore = versions.filter(([name]) => !/app/i.test(name));
  const named = (pattern: RegExp) => ofCore.find(([name]) => pattern.test(name));
  const found = named(/prtg|core/i) ?? named(/^version$/i) ?? named(/version/i) ?? ofCore[0] ?? versions[0];
  return found?.[1].trim();
}
