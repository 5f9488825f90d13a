/** Diagnostic reports of Node.js have no environment, which may hold keys, and no DNS names, which block the process. */
export function keepReportsPrivate(): void {
  // The types do not know the second one yet.
  Object.assign(process.report, { excludeEnv: true, excludeNetwork: true });
}
