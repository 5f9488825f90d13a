/** `*` matches any characters, `{id}` one part of a path. */
export function globPattern(glob: string): RegExp {
  const parts = glob.split(/(\*|\{\w+\})/).map((part) => {
    if (part === "*") return ".*";
    return part.startsWith("{") ? "[^/]+" : part.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return new RegExp(`^${parts.join("")}$`);
}
