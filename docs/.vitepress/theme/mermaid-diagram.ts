// As a file of its own: bundling it would take as long as the rest of the site.
import library from "@mermaid-js/tiny/dist/mermaid.tiny.js?url";
import { useData } from "vitepress";
import { defineComponent, h, onMounted, ref, useId, watch } from "vue";

interface Mermaid {
  initialize(options: Record<string, unknown>): void;
  render(id: string, code: string): Promise<{ svg: string }>;
}

const OPTIONS = {
  startOnLoad: false,
  // Styles of the page would change the size of labels in HTML after Mermaid has measured them.
  htmlLabels: false,
  fontFamily: "var(--vp-font-family-base)",
  flowchart: { nodeSpacing: 24, rankSpacing: 28, padding: 10 },
  sequence: { mirrorActors: false },
};

let loaded: Promise<Mermaid> | undefined;

/** The library is 2.9 MB large. Only pages with a diagram load it. */
function load(): Promise<Mermaid> {
  loaded ??= new Promise((resolve, reject) => {
    const script = document.createElement("script");
    script.src = library;
    script.onload = () => resolve((globalThis as unknown as { mermaid: Mermaid }).mermaid);
    script.onerror = () => reject(new Error(`${library} cannot be loaded`));
    document.head.append(script);
  });
  return loaded;
}

/** A diagram in the colors of the page. Its code is readable until it is drawn and without JavaScript. */
export const MermaidDiagram = defineComponent({
  props: { code: { type: String, required: true } },
  setup({ code }) {
    const text = decodeURIComponent(code);
    const id = `mermaid-${useId()}`;
    const svg = ref("");
    const { isDark } = useData();
    async function draw() {
      const mermaid = await load();
      mermaid.initialize({ ...OPTIONS, theme: isDark.value ? "dark" : "default" });
      svg.value = (await mermaid.render(id, text)).svg;
    }
    onMounted(draw);
    watch(isDark, draw);
    return () => (svg.value === "" ? h("pre", text) : h("div", { class: "mermaid-diagram", innerHTML: svg.value }));
  },
});
