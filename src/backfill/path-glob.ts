/**
 * A test for paths such as `Berlin/Switches/core 1/Ping`: `*` stands for any text within one name, `**` for any text,
 * `?` for one character; everything else, brackets too, stands for itself, since names of sensors are full of it.
 * All ways to match are followed at once, so that no pattern and no path take longer than their lengths multiplied:
 * paths come from the server.
 */
export function pathGlob(pattern: string): (path: string) => boolean {
  const steps = pattern.match(/\*\*|./gsu) ?? [];
  return (path) => {
    let reached = withoutText(steps, new Set([0]));
    for (const character of path) {
      const next = new Set<number>();
      for (const at of reached) {
        const step = steps[at];
        if (step === "**" || (step === "*" && character !== "/")) next.add(at);
        else if (step === character || (step === "?" && character !== "/")) next.add(at + 1);
      }
      if (next.size === 0) return false;
      reached = withoutText(steps, next);
    }
    return reached.has(steps.length);
  };
}

/** `reached`, and what can be reached from there without a further character. */
function withoutText(steps: readonly string[], reached: Set<number>): ReadonlySet<number> {
  // A set that grows is walked to its new end.
  for (const at of reached) if (steps[at] === "*" || steps[at] === "**") reached.add(at + 1);
  return reached;
}
