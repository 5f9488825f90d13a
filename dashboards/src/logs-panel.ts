import * as common from "@grafana/grafana-foundation-sdk/common";
import * as logs from "@grafana/grafana-foundation-sdk/logs";
import * as loki from "@grafana/grafana-foundation-sdk/loki";
import { HEIGHT, refId } from "./panels.ts";
import { LOGS } from "./variables.ts";

const STATUS_CHANGES = {
  title: "Status changes",
  description: "Events of the exporter about status changes, newest first. Needs the events in Loki.",
};

/** The exporter's events about statuses, each a line with the message of the sensor. */
export function logsPanel(expr: string, { title, description } = STATUS_CHANGES) {
  return new logs.PanelBuilder()
    .title(title)
    .description(description)
    .datasource(LOGS)
    .span(24)
    .height(HEIGHT.table)
    .withTarget(
      new loki.DataqueryBuilder().datasource(LOGS).refId(refId(0)).expr(expr).queryType("range").maxLines(500),
    )
    .noValue("No events, or no Loki is chosen")
    .showTime(true)
    .wrapLogMessage(true)
    .enableLogDetails(true)
    .sortOrder(common.LogsSortOrder.Descending);
}
