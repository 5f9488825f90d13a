{{- /* What an endpoint of a ServiceMonitor and one of a PodMonitor have in common. */ -}}
{{- define "prtg-exporter.endpoint" -}}
{{- $monitor := .monitor -}}
path: {{ .context.Values.web.telemetryPath }}
scheme: {{ include "prtg-exporter.scheme" .context }}
interval: {{ $monitor.interval }}
scrapeTimeout: {{ $monitor.scrapeTimeout }}
honorLabels: {{ $monitor.honorLabels }}
honorTimestamps: {{ $monitor.honorTimestamps }}
{{- with $monitor.params }}
params:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $monitor.tlsConfig }}
tlsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $monitor.basicAuth }}
basicAuth:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $monitor.relabelings }}
relabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $monitor.metricRelabelings }}
metricRelabelings:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- end -}}

{{- /* metadata of an object of the Prometheus operator. */ -}}
{{- define "prtg-exporter.monitorMetadata" -}}
name: {{ include "prtg-exporter.fullname" .context }}
namespace: {{ default .context.Release.Namespace .monitor.namespace }}
labels:
  {{- include "prtg-exporter.labels" .context | nindent 2 }}
  {{- with .monitor.additionalLabels }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}
