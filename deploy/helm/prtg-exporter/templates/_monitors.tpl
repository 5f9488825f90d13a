{{- /* Endpoint of a ServiceMonitor or PodMonitor. */ -}}
{{- define "prtg-exporter.endpoint" -}}
{{- $monitor := .monitor -}}
path: {{ .context.Values.web.telemetryPath }}
scheme: {{ include "prtg-exporter.scheme" .context }}
{{- with $monitor.interval }}
interval: {{ . }}
{{- end }}
{{- with $monitor.scrapeTimeout }}
scrapeTimeout: {{ . }}
{{- end }}
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
{{- with $monitor.authorization }}
authorization:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $monitor.proxyUrl }}
proxyUrl: {{ . | quote }}
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

{{- /* Metadata of Prometheus operator objects. */ -}}
{{- define "prtg-exporter.monitorMetadata" -}}
name: {{ include "prtg-exporter.fullname" .context }}
namespace: {{ default (include "prtg-exporter.namespace" .context) .monitor.namespace }}
labels:
  {{- include "prtg-exporter.labelsWith" (dict "context" .context "more" (list .monitor.additionalLabels)) | nindent 2 }}
{{- with include "prtg-exporter.annotations" (dict "value" .monitor.annotations "context" .context) }}
{{ . }}
{{- end }}
{{- end -}}

{{- /* Common spec of ServiceMonitor and PodMonitor. `selector`: labels of the chart. */ -}}
{{- define "prtg-exporter.monitorSpec" -}}
{{- $monitor := .monitor -}}
{{- with $monitor.jobLabel }}
jobLabel: {{ . }}
{{- end }}
{{- with $monitor.podTargetLabels }}
podTargetLabels:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- include "prtg-exporter.scrapeLimits" $monitor }}
{{- with $monitor.attachMetadata }}
attachMetadata:
  {{- toYaml . | nindent 2 }}
{{- end }}
namespaceSelector:
  matchNames:
    - {{ include "prtg-exporter.namespace" .context }}
selector:
  {{- if $monitor.selectorOverride }}
  {{- toYaml $monitor.selectorOverride | nindent 2 }}
  {{- else }}
  matchLabels:
    {{- toYaml .selector | nindent 4 }}
  {{- end }}
{{- end -}}

{{- /* As integers, because Helm prints large numbers as 1e+06. */ -}}
{{- define "prtg-exporter.scrapeLimits" -}}
{{- $monitor := . -}}
{{- range $limit := list "sampleLimit" "targetLimit" "labelLimit" "labelNameLengthLimit" "labelValueLengthLimit" }}
{{- with get $monitor $limit }}
{{ $limit }}: {{ int64 . }}
{{- end }}
{{- end }}
{{- end -}}

{{- /* Settings of a ScrapeConfig without its targets. */ -}}
{{- define "prtg-exporter.scrapeSettings" -}}
{{- $monitor := .monitor -}}
metricsPath: {{ .context.Values.web.telemetryPath }}
scheme: {{ include "prtg-exporter.scheme" .context | upper }}
{{- with $monitor.interval }}
scrapeInterval: {{ . }}
{{- end }}
{{- with $monitor.scrapeTimeout }}
scrapeTimeout: {{ . }}
{{- end }}
honorLabels: {{ $monitor.honorLabels }}
honorTimestamps: {{ $monitor.honorTimestamps }}
{{- include "prtg-exporter.scrapeLimits" $monitor }}
{{- with $monitor.tlsConfig }}
tlsConfig:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $monitor.basicAuth }}
basicAuth:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $monitor.authorization }}
authorization:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $monitor.proxyUrl }}
proxyUrl: {{ . | quote }}
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
