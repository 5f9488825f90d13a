/** Values as reports have them. */

export function instant(ms: number): string {
  return new Date(ms).toISOString();
}

export function instantOrNull(ms: number | undefined): string | null {
  return ms === undefined || !Number.isFinite(ms) ? null : instant(ms);
}

/** A URL may carry credentials before the host, and keys behind the path. */
export function withoutSecrets(text: string): string {
  const url = URL.parse(text);
  return url === null ? "" : `${url.origin}${url.pathname === "/" ? "" : url.pathname}`;
}
