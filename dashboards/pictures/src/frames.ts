import { type DataFrame, type Field, FieldType, toDataFrame } from "@grafana/data";
import type { Answer, Series } from "./picture.ts";

/** Answers of Prometheus as the data frames that Grafana's data source makes of them. */
export function framesOf(answers: readonly Answer[]): DataFrame[] {
  const tables = answers.filter(({ asTable }) => asTable);
  const valueName = ({ refId }: Answer) => (tables.length > 1 ? `Value #${refId}` : "Value");
  return answers.flatMap((answer) =>
    answer.asTable
      ? [tableFrame(answer, valueName(answer))]
      : answer.series.map((series) => seriesFrame(series, answer)),
  );
}

function seriesFrame({ labels, points }: Series, { refId, legendFormat }: Answer): DataFrame {
  const name = legendFormat.replace(/\{\{\s*(\w+)\s*\}\}/g, (_whole, label: string) => labels[label] ?? "");
  const { __name__: _metric, ...rest } = labels;
  const value: Partial<Field> & { name: string; values: unknown[] } = {
    name: "Value",
    type: FieldType.number,
    labels: rest,
    config: name === "" ? {} : { displayNameFromDS: name },
    values: points.map((point) => point.value),
  };
  const times = { name: "Time", type: FieldType.time, config: {}, values: points.map(({ time }) => time * 1000) };
  return toDataFrame({ refId, name, fields: [times, value] });
}

function tableFrame({ refId, series }: Answer, valueName: string): DataFrame {
  const labels = [...new Set(series.flatMap((one) => Object.keys(one.labels)))].sort();
  const newest = series.map(({ points }) => points.at(-1));
  const column = (name: string, type: FieldType, values: unknown[]) => ({ name, type, config: {}, values });
  return toDataFrame({
    refId,
    fields: [
      column(
        "Time",
        FieldType.time,
        newest.map((point) => (point?.time ?? 0) * 1000),
      ),
      ...labels.map((label) =>
        column(
          label,
          FieldType.string,
          series.map((one) => one.labels[label] ?? ""),
        ),
      ),
      column(
        valueName,
        FieldType.number,
        newest.map((point) => point?.value),
      ),
    ],
  });
}
