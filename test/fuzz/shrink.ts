const MAX_TRIES = 2_000;

/** Simplified delta debugging (Zeller). */
export async function shrinkText(text: string, fails: (text: string) => Promise<boolean>): Promise<string> {
  let smallest = text;
  let tries = 0;
  for (let size = Math.ceil(smallest.length / 2); size >= 1 && tries < MAX_TRIES; ) {
    let isShorter = false;
    for (let at = 0; at < smallest.length && tries < MAX_TRIES; ) {
      const candidate = smallest.slice(0, at) + smallest.slice(at + size);
      tries++;
      if (await fails(candidate)) {
        smallest = candidate;
        isShorter = true;
      } else {
        at += size;
      }
    }
    if (!isShorter || size > smallest.length) size = size === 1 ? 0 : Math.ceil(size / 2);
  }
  return smallest;
}
