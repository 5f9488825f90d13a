import { createTheme, type DataFrame, type GrafanaTheme2 } from "@grafana/data";
import { GlobalStyles, PanelChrome, ThemeContext } from "@grafana/ui";
import { type ReactElement, useEffect, useState } from "react";
import { createRoot } from "react-dom/client";
import { registerStandards, shownFrames } from "./field-config.ts";
import { framesOf } from "./frames.ts";
import { PanelContent } from "./panels.tsx";
import type { Picture, PicturePanel } from "./picture.ts";

declare global {
  /** Put into the page before this script runs. */
  var picture: Picture;
}

/** Grafana's grid: 24 columns, rows of 30 pixels, gaps of 8. */
const COLUMNS = 24;
const ROW_HEIGHT = 30;
const GAP = 8;
const MARGIN = 16;

registerStandards();
const { theme: mode } = globalThis.picture;
const theme = createTheme({ colors: { mode } });
const root = document.getElementById("root");
if (root === null) throw new Error("the page has no place for the dashboard");
createRoot(root).render(
  <ThemeContext.Provider value={theme}>
    <GlobalStyles />
    <Dashboard picture={globalThis.picture} theme={theme} />
  </ThemeContext.Provider>,
);

function Dashboard({ picture, theme }: { readonly picture: Picture; readonly theme: GrafanaTheme2 }): ReactElement {
  const width = window.innerWidth - 2 * MARGIN;
  return (
    <div style={{ margin: MARGIN, fontFamily: theme.typography.fontFamily }}>
      <h1 style={{ fontSize: 18, margin: "0 0 8px" }}>{picture.title}</h1>
      <Variables picture={picture} theme={theme} />
      <div style={{ position: "relative" }}>
        {picture.panels.map((panel) => (
          <PlacedPanel
            key={JSON.stringify([panel.title, panel.gridPos])}
            panel={panel}
            picture={picture}
            width={width}
            theme={theme}
          />
        ))}
      </div>
    </div>
  );
}

function Variables({ picture, theme }: { readonly picture: Picture; readonly theme: GrafanaTheme2 }): ReactElement {
  const box = { border: `1px solid ${theme.colors.border.medium}`, padding: "4px 10px", fontSize: 12 };
  return (
    <div style={{ display: "flex", flexWrap: "wrap", gap: 8, marginBottom: 12 }}>
      {picture.variables.map(({ label, value }) => (
        <span key={label} style={{ display: "flex" }}>
          <span style={{ ...box, background: theme.colors.background.secondary }}>{label}</span>
          <span style={{ ...box, borderLeft: 0 }}>{value}</span>
        </span>
      ))}
    </div>
  );
}

interface PlacedPanelProps {
  readonly panel: PicturePanel;
  readonly picture: Picture;
  readonly width: number;
  readonly theme: GrafanaTheme2;
}

function PlacedPanel({ panel, picture, width, theme }: PlacedPanelProps): ReactElement {
  const frames = useShownFrames(panel, theme);
  const { x, y, w, h } = panel.gridPos;
  const column = (width + GAP) / COLUMNS;
  const place = {
    left: x * column,
    top: y * (ROW_HEIGHT + GAP),
    width: w * column - GAP,
    height: h * (ROW_HEIGHT + GAP) - GAP,
  };
  if (panel.type === "row") {
    return (
      <div
        style={{ position: "absolute", ...place, fontSize: 14, fontWeight: 500, paddingTop: 6 }}
      >{`${panel.collapsed ? "›" : "⌄"} ${panel.title}`}</div>
    );
  }
  return (
    <div style={{ position: "absolute", ...place }}>
      <PanelChrome title={panel.title} description={panel.description ?? ""} width={place.width} height={place.height}>
        {(innerWidth, innerHeight) =>
          frames === undefined ? null : (
            <PanelContent
              panel={panel}
              frames={frames}
              range={picture.range}
              marks={picture.marks}
              width={innerWidth}
              height={innerHeight}
            />
          )
        }
      </PanelChrome>
    </div>
  );
}

/** Undefined until the transformations are through, which Grafana's library loads when they are first used. */
function useShownFrames(panel: PicturePanel, theme: GrafanaTheme2): readonly DataFrame[] | undefined {
  const [frames, setFrames] = useState<readonly DataFrame[]>();
  useEffect(() => {
    void shownFrames(panel, framesOf(panel.answers), theme).then(setFrames);
  }, [panel, theme]);
  return frames;
}
