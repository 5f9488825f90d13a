/** At most `size` samples per family. Each page declares its families. */
export function slicePage(page: string, size: number): string[] {
  const slices: string[] = [];
  for (const family of page.split(/^(?=# HELP )/m)) {
    const [help, type, ...samples] = family.trimEnd().split("\n");
    for (let start = 0; start < samples.length; start += size) {
      const lines = [help, type, ...samples.slice(start, start + size)];
      slices[start / size] = `${slices[start / size] ?? ""}${lines.join("\n")}\n`;
    }
  }
  return slices;
}
