{{- define "prtg-exporter.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- /* 47 characters leave room for the longest suffix of ours within the 63 of a label. */ -}}
{{- define "prtg-exporter.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride | trunc 47 | trimSuffix "-" -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 47 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 47 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "prtg-exporter.selectorLabels" -}}
app.kubernetes.io/name: {{ include "prtg-exporter.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "prtg-exporter.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: {{ include "prtg-exporter.name" . }}
{{ include "prtg-exporter.selectorLabels" . }}
{{- with .Values.commonLabels }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "prtg-exporter.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "prtg-exporter.fullname" .) .Values.serviceAccount.name -}}
{{- else -}}
{{- default "default" .Values.serviceAccount.name -}}
{{- end -}}
{{- end -}}

{{- /* Of a map with registry, repository, tag and digest. */ -}}
{{- define "prtg-exporter.imageReference" -}}
{{- $name := .repository -}}
{{- if .registry -}}{{- $name = printf "%s/%s" .registry .repository -}}{{- end -}}
{{- if .digest -}}{{- printf "%s@%s" $name .digest -}}{{- else -}}{{- printf "%s:%s" $name .tag -}}{{- end -}}
{{- end -}}

{{- define "prtg-exporter.image" -}}
{{- $image := .Values.image -}}
{{- include "prtg-exporter.imageReference" (dict "registry" $image.registry "repository" $image.repository "digest" $image.digest "tag" (default .Chart.AppVersion $image.tag)) -}}
{{- end -}}

{{- /* The configuration file that the chart makes; empty when it makes none. */ -}}
{{- define "prtg-exporter.config" -}}
{{- if and .Values.config (not .Values.existingConfig.name) -}}
{{- $config := deepCopy .Values.config -}}
{{- if not (hasKey $config "state_dir") -}}
{{- $_ := set $config "state_dir" "/var/lib/prtg-exporter" -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}
{{- end -}}

{{- define "prtg-exporter.webConfigSecret" -}}
{{- if .Values.web.config.existingSecret -}}
{{- .Values.web.config.existingSecret -}}
{{- else if .Values.web.config.content -}}
{{- include "prtg-exporter.fullname" . }}-web
{{- end -}}
{{- end -}}

{{- define "prtg-exporter.webConfigKey" -}}
{{- if .Values.web.config.existingSecret -}}{{- .Values.web.config.key -}}{{- else -}}web-config.yaml{{- end -}}
{{- end -}}

{{- define "prtg-exporter.scheme" -}}
{{- if or .Values.web.config.tls (hasKey .Values.web.config.content "tls_server_config") -}}https{{- else -}}http{{- end -}}
{{- end -}}

{{- define "prtg-exporter.otlpEndpoint" -}}
{{- get (default dict (get (default dict .Values.config) "otlp")) "endpoint" -}}
{{- end -}}

{{- /* Non-empty when measurements are pushed, or may be: what the chart cannot read counts as pushing. */ -}}
{{- define "prtg-exporter.pushes" -}}
{{- if include "prtg-exporter.otlpEndpoint" . -}}endpoint
{{- else if or .Values.existingConfig.name .Values.extraEnvFrom -}}unknown
{{- else -}}
{{- range .Values.extraEnv -}}
{{- if has .name (list "OTEL_EXPORTER_OTLP_ENDPOINT" "OTEL_EXPORTER_OTLP_METRICS_ENDPOINT") -}}environment{{- end -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "prtg-exporter.strategy" -}}
{{- if .Values.strategy -}}
{{- toYaml .Values.strategy -}}
{{- else if or (include "prtg-exporter.pushes" .) (and .Values.persistence.enabled (not (has "ReadWriteMany" .Values.persistence.accessModes))) -}}
type: Recreate
{{- else -}}
type: RollingUpdate
rollingUpdate:
  maxSurge: 1
  maxUnavailable: 0
{{- end -}}
{{- end -}}

{{- /* What no schema can say. */ -}}
{{- define "prtg-exporter.validate" -}}
{{- $names := list -}}
{{- range .Values.extraEnv -}}{{- $names = append $names .name -}}{{- end -}}
{{- if not (or (default dict .Values.config).servers (default dict .Values.config).servers_from .Values.existingConfig.name .Values.extraEnvFrom (has "PRTG_URL" $names)) -}}
{{- fail "prtg-exporter: name a monitoring server in config.servers (or config.servers_from, existingConfig.name, or PRTG_URL in extraEnv)" -}}
{{- end -}}
{{- if and (eq .Values.kind "Deployment") (gt (int .Values.replicas) 1) -}}
{{- fail "prtg-exporter: a Deployment has one replica at most, as each would ask the servers everything and push everything; kind: StatefulSet spreads servers over replicas" -}}
{{- end -}}
{{- if and (include "prtg-exporter.otlpEndpoint" .) (eq (default "" .Values.strategy.type) "RollingUpdate") -}}
{{- fail "prtg-exporter: with config.otlp.endpoint the strategy is Recreate, as one replica pushes at a time" -}}
{{- end -}}
{{- if and (eq .Values.kind "StatefulSet") .Values.persistence.existingClaim -}}
{{- fail "prtg-exporter: persistence.existingClaim is for a Deployment; the replicas of a StatefulSet have a claim each" -}}
{{- end -}}
{{- if and .Values.web.config.existingSecret .Values.web.config.content -}}
{{- fail "prtg-exporter: give web.config.existingSecret or web.config.content, not both" -}}
{{- end -}}
{{- $monitors := 0 -}}
{{- range list .Values.serviceMonitor .Values.podMonitor .Values.scrapeConfig -}}
{{- if .enabled -}}{{- $monitors = add1 $monitors -}}{{- end -}}
{{- end -}}
{{- if gt (int $monitors) 1 -}}
{{- fail "prtg-exporter: enable one of serviceMonitor, podMonitor and scrapeConfig, or every sample is scraped twice" -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled (not .Values.service.enabled) -}}
{{- fail "prtg-exporter: serviceMonitor needs service.enabled" -}}
{{- end -}}
{{- end -}}

{{- /* Unlike those of the exporter, so that the Service does not lead to the test. */ -}}
{{- define "prtg-exporter.testLabels" -}}
app.kubernetes.io/name: {{ include "prtg-exporter.name" . | trunc 58 }}-test
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}
