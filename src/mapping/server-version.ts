/**
 * The version in `GET /version`. The specification names no member, so this takes a version by the name of its
 * member: the product or core, `version`, a name with `version`, any other, and last the application server.
 */
export function serverVersion(members: ReadonlyMap<string, string>): string | undefined {
  const versions = [...members].filter(([, value]) => /^\s*v?\d+\.\d/i.test(value));
  const ofCore = versions.filter(([name]) => !/app/i.test(name));
  const named = (pattern: RegExp) => ofCore.find(([name]) => pattern.test(name));
  const found = named(/prtg|core/i) ?? named(/^version$/i) ?? named(/version/i) ?? ofCore[0] ?? versions[0];
  return found?.[1].trim();
}
