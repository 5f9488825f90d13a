interface Token {
  readonly info: string;
  readonly content: string;
}

type Rule = (tokens: readonly Token[], index: number, ...rest: unknown[]) => string;

/** Renders code blocks of the language `mermaid` as the component of the theme that draws them in the browser. */
export function mermaidFences(markdown: { readonly renderer: { readonly rules: { fence?: unknown } } }): void {
  const { rules } = markdown.renderer;
  const others = rules.fence as Rule;
  const fence: Rule = (tokens, index, ...rest) => {
    const token = tokens[index];
    if (token?.info.trim() !== "mermaid") return others(tokens, index, ...rest);
    return `<MermaidDiagram code="${encodeURIComponent(token.content)}" />\n`;
  };
  rules.fence = fence;
}
