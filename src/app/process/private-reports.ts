/**
 * Diagnostic reports, which Node.js writes where it is asked to (at a fatal error, or a signal), without the environment,
 * where keys may be, and without looking up a name for each address, which would stop everything until it is answered.
 */
export function keepReportsPrivate(): void {
  // The types do not know the second one yet.
  Object.assign(process.report, { excludeEnv: true, excludeNetwork: true });
}
