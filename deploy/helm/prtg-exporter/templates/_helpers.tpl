{{- define "prtg-exporter.name" -}}
{{- default .Chart.Name (tpl .Values.nameOverride .) | trunc 63 | trimSuffix "-" -}}
{{- end -}}

{{- define "prtg-exporter.namespace" -}}
{{- default .Release.Namespace (tpl .Values.namespaceOverride .) -}}
{{- end -}}

{{- /* 47 characters, because the longest suffix has 16 and a label has at most 63. */ -}}
{{- define "prtg-exporter.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- tpl .Values.fullnameOverride . | trunc 47 | trimSuffix "-" -}}
{{- else -}}
{{- $name := include "prtg-exporter.name" . -}}
{{- if contains $name .Release.Name -}}
{{- .Release.Name | trunc 47 | trimSuffix "-" -}}
{{- else -}}
{{- printf "%s-%s" .Release.Name $name | trunc 47 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "prtg-exporter.selectorLabels" -}}
app.kubernetes.io/name: {{ include "prtg-exporter.name" . | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "prtg-exporter.labels" -}}
{{- include "prtg-exporter.labelsWith" (dict "context" . "more" list) -}}
{{- end -}}

{{- /* Other labels than the exporter: its Service, monitors and policies must not select pods of sync. */ -}}
{{- define "prtg-exporter.syncSelectorLabels" -}}
app.kubernetes.io/name: {{ printf "%s-sync" (include "prtg-exporter.name" . | trunc 58) | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}

{{- define "prtg-exporter.syncLabels" -}}
{{- include "prtg-exporter.labelsWith" (dict "context" . "more" list "selectors" "prtg-exporter.syncSelectorLabels") -}}
{{- end -}}

{{- /*
Labels of an object. `more`: list of maps, later maps override earlier ones. Selector labels always win. `selectors`: the template of
them, if they are not those of the exporter.
*/ -}}
{{- define "prtg-exporter.labelsWith" -}}
{{- $context := .context -}}
{{- $labels := dict
  "helm.sh/chart" (printf "%s-%s" $context.Chart.Name $context.Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-")
  "app.kubernetes.io/version" $context.Chart.AppVersion
  "app.kubernetes.io/part-of" (include "prtg-exporter.name" $context) -}}
{{- range prepend .more $context.Values.commonLabels -}}
{{- $labels = mergeOverwrite $labels (include "prtg-exporter.rendered" (dict "value" . "context" $context) | fromYaml) -}}
{{- end -}}
{{- $selectors := include (default "prtg-exporter.selectorLabels" .selectors) $context | fromYaml -}}
{{- toYaml (mergeOverwrite $labels (dict "app.kubernetes.io/managed-by" $context.Release.Service) $selectors) -}}
{{- end -}}

{{- /* YAML of a value after its templates are rendered. */ -}}
{{- define "prtg-exporter.rendered" -}}
{{- tpl (toYaml (default dict .value)) .context -}}
{{- end -}}

{{- /* The key `annotations`, or nothing without values. */ -}}
{{- define "prtg-exporter.annotations" -}}
{{- with .value -}}
annotations:
  {{- include "prtg-exporter.rendered" (dict "value" . "context" $.context) | nindent 2 }}
{{- end -}}
{{- end -}}

{{- define "prtg-exporter.syncServiceAccountName" -}}
{{- if .Values.sync.serviceAccount.create -}}
{{- default (printf "%s-sync" (include "prtg-exporter.fullname" .)) (tpl .Values.sync.serviceAccount.name .) -}}
{{- else -}}
{{- default "default" (tpl .Values.sync.serviceAccount.name .) -}}
{{- end -}}
{{- end -}}

{{- define "prtg-exporter.serviceAccountName" -}}
{{- if .Values.serviceAccount.create -}}
{{- default (include "prtg-exporter.fullname" .) (tpl .Values.serviceAccount.name .) -}}
{{- else -}}
{{- default "default" (tpl .Values.serviceAccount.name .) -}}
{{- end -}}
{{- end -}}

{{- /* Input: map with registry, repository, tag and digest. */ -}}
{{- define "prtg-exporter.imageReference" -}}
{{- $name := .repository -}}
{{- if .registry -}}{{- $name = printf "%s/%s" .registry .repository -}}{{- end -}}
{{- if .digest -}}{{- printf "%s@%s" $name .digest -}}{{- else -}}{{- printf "%s:%s" $name .tag -}}{{- end -}}
{{- end -}}

{{- define "prtg-exporter.image" -}}
{{- $image := .Values.image -}}
{{- include "prtg-exporter.imageReference" (dict "registry" (default $image.registry .Values.global.imageRegistry) "repository" $image.repository "digest" $image.digest "tag" (default .Chart.AppVersion $image.tag)) -}}
{{- end -}}

{{- /* The key `imagePullSecrets`. `global` also accepts plain names, like other charts. */ -}}
{{- define "prtg-exporter.imagePullSecrets" -}}
{{- $secrets := list -}}
{{- range concat .Values.global.imagePullSecrets .Values.imagePullSecrets -}}
{{- $secrets = append $secrets (ternary (dict "name" .) . (kindIs "string" .)) -}}
{{- end -}}
{{- with uniq $secrets -}}
imagePullSecrets:
  {{- toYaml . | nindent 2 }}
{{- end -}}
{{- end -}}

{{- /* `replicas` is the name of `replicaCount` before 1.0.0. */ -}}
{{- define "prtg-exporter.replicaCount" -}}
{{- if kindIs "invalid" .Values.replicas -}}{{- int .Values.replicaCount -}}{{- else -}}{{- int .Values.replicas -}}{{- end -}}
{{- end -}}

{{- /* Configuration file of the chart, or nothing. */ -}}
{{- define "prtg-exporter.config" -}}
{{- if and .Values.config (not .Values.existingConfig.name) -}}
{{- $config := omit (deepCopy .Values.config) "sync" -}}
{{- if and (include "prtg-exporter.hasState" .) (not (hasKey $config "state_dir")) -}}
{{- $_ := set $config "state_dir" "/var/lib/prtg-exporter" -}}
{{- end -}}
{{- toYaml $config -}}
{{- end -}}
{{- end -}}

{{- /* Configuration file of sync, or nothing. Without receivers, which sync does not have. */ -}}
{{- define "prtg-exporter.syncConfig" -}}
{{- if and (default dict .Values.config).sync (not (include "prtg-exporter.syncExistingConfig" . | fromYaml).name) -}}
{{- $config := omit (deepCopy .Values.config) "otlp" "events" -}}
{{- $_ := set $config "state_dir" "/var/lib/prtg-exporter" -}}
{{- toYaml $config -}}
{{- end -}}
{{- end -}}

{{- define "prtg-exporter.syncExistingConfig" -}}
{{- toYaml (ternary .Values.sync.existingConfig .Values.existingConfig (ne .Values.sync.existingConfig.name "")) -}}
{{- end -}}

{{- define "prtg-exporter.webConfigSecret" -}}
{{- if .Values.web.config.existingSecret -}}
{{- tpl .Values.web.config.existingSecret . -}}
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

{{- /* The value of a variable in `extraEnv`. The reference of a variable with `valueFrom`. Empty if it is not set. */ -}}
{{- define "prtg-exporter.variable" -}}
{{- range .context.Values.extraEnv -}}
{{- if eq .name $.name -}}{{- default (printf "${%s}" .name) .value -}}{{- end -}}
{{- end -}}
{{- end -}}

{{- /* Receivers of measurements and events in the configuration, as a YAML list of URLs. */ -}}
{{- define "prtg-exporter.configuredReceivers" -}}
{{- $otlp := default dict (default dict .Values.config).otlp -}}
{{- toYaml (compact (list $otlp.endpoint $otlp.logs_endpoint)) -}}
{{- end -}}

{{- /* The same, with those of `extraEnv`. */ -}}
{{- define "prtg-exporter.receivers" -}}
{{- $urls := include "prtg-exporter.configuredReceivers" . | fromYamlArray -}}
{{- range list "ENDPOINT" "METRICS_ENDPOINT" "LOGS_ENDPOINT" -}}
{{- $urls = append $urls (include "prtg-exporter.variable" (dict "context" $ "name" (printf "OTEL_EXPORTER_OTLP_%s" .))) -}}
{{- end -}}
{{- toYaml (compact $urls) -}}
{{- end -}}

{{- /* Not empty if the exporter pushes, or if the chart cannot know. */ -}}
{{- define "prtg-exporter.pushes" -}}
{{- if include "prtg-exporter.receivers" . | fromYamlArray -}}endpoint
{{- else if or .Values.existingConfig.name .Values.extraEnvFrom -}}unknown
{{- end -}}
{{- end -}}

{{- /* Not empty if two pods would deliver the same data twice. */ -}}
{{- define "prtg-exporter.delivers" -}}
{{- include "prtg-exporter.pushes" . -}}
{{- with (default dict (default dict .Values.config).events).file }}{{ . }}{{- end -}}
{{- end -}}

{{- define "prtg-exporter.strategy" -}}
{{- if .Values.strategy -}}
{{- toYaml .Values.strategy -}}
{{- else if and (not .Values.leaderElection.enabled) (or (include "prtg-exporter.delivers" .) (and .Values.persistence.enabled (not (has "ReadWriteMany" .Values.persistence.accessModes)))) -}}
type: Recreate
{{- else -}}
type: RollingUpdate
rollingUpdate:
  maxSurge: 1
  maxUnavailable: 0
{{- end -}}
{{- end -}}

{{- /* Rules that a schema cannot express. */ -}}
{{- define "prtg-exporter.validate" -}}
{{- $names := list -}}
{{- range .Values.extraEnv -}}{{- $names = append $names .name -}}{{- end -}}
{{- if not (or (default dict .Values.config).servers (default dict .Values.config).servers_from .Values.existingConfig.name .Values.extraEnvFrom (has "PRTG_URL" $names)) -}}
{{- fail "prtg-exporter: name a monitoring server in config.servers (or config.servers_from, existingConfig.name, or PRTG_URL in extraEnv)" -}}
{{- end -}}
{{- $election := .Values.leaderElection.enabled -}}
{{- if and (eq .Values.kind "Deployment") (gt (int (include "prtg-exporter.replicaCount" .)) 1) (not $election) -}}
{{- fail "prtg-exporter: a Deployment has one replica at most (replicaCount), because each replica reads and pushes everything. Enable leaderElection for standby replicas, or use kind: StatefulSet to distribute the servers" -}}
{{- end -}}
{{- if and $election (eq .Values.kind "StatefulSet") -}}
{{- fail "prtg-exporter: leaderElection is for a Deployment. Replicas of a StatefulSet read different servers" -}}
{{- end -}}
{{- if and $election .Values.persistence.enabled (not (has "ReadWriteMany" .Values.persistence.accessModes)) -}}
{{- fail "prtg-exporter: with leaderElection, all replicas mount the volume: set persistence.accessModes to [ReadWriteMany], or persistence.enabled to false" -}}
{{- end -}}
{{- if and (not $election) (include "prtg-exporter.configuredReceivers" . | fromYamlArray) (eq (default "" .Values.strategy.type) "RollingUpdate") -}}
{{- fail "prtg-exporter: with config.otlp.endpoint or config.otlp.logs_endpoint, set strategy.type to Recreate, because only one replica pushes at a time" -}}
{{- end -}}
{{- if and (eq .Values.kind "StatefulSet") .Values.persistence.existingClaim -}}
{{- fail "prtg-exporter: persistence.existingClaim is for a Deployment. Each replica of a StatefulSet has its own claim" -}}
{{- end -}}
{{- if and .Values.persistence.existingClaim (not .Values.persistence.enabled) -}}
{{- fail "prtg-exporter: persistence.existingClaim needs persistence.enabled" -}}
{{- end -}}
{{- if .Values.sync.enabled -}}
{{- if not (or (default dict .Values.config).sync (include "prtg-exporter.syncExistingConfig" . | fromYaml).name) -}}
{{- fail "prtg-exporter: sync.enabled needs the section config.sync (or sync.existingConfig.name, existingConfig.name)" -}}
{{- end -}}
{{- if and .Values.sync.persistence.existingClaim (not .Values.sync.persistence.enabled) -}}
{{- fail "prtg-exporter: sync.persistence.existingClaim needs sync.persistence.enabled" -}}
{{- end -}}
{{- end -}}
{{- if and .Values.web.config.existingSecret .Values.web.config.content -}}
{{- fail "prtg-exporter: give web.config.existingSecret or web.config.content, not both" -}}
{{- end -}}
{{- $sleep := dig "preStop" "sleep" "seconds" "auto" (.Values.lifecycle | default dict) -}}
{{- if and (ne (toString $sleep) "auto") (gt (add (int $sleep) 5) (int .Values.terminationGracePeriodSeconds)) -}}
{{- fail "prtg-exporter: terminationGracePeriodSeconds must be at least 5 more than lifecycle.preStop.sleep.seconds. Otherwise Kubernetes kills the exporter before it has shut down" -}}
{{- end -}}
{{- $monitors := 0 -}}
{{- range list .Values.serviceMonitor .Values.podMonitor .Values.scrapeConfig -}}
{{- if .enabled -}}
{{- $monitors = add1 $monitors -}}
{{- include "prtg-exporter.validateTimes" . -}}
{{- end -}}
{{- end -}}
{{- if gt (int $monitors) 1 -}}
{{- fail "prtg-exporter: enable one of serviceMonitor, podMonitor and scrapeConfig, otherwise Prometheus scrapes all samples twice" -}}
{{- end -}}
{{- if and .Values.serviceMonitor.enabled (not .Values.service.enabled) -}}
{{- fail "prtg-exporter: serviceMonitor needs service.enabled" -}}
{{- end -}}
{{- range $name := list "ingress" "httpRoute" -}}
{{- if and (get $.Values $name).enabled (not $.Values.service.enabled) -}}
{{- fail (printf "prtg-exporter: %s needs service.enabled" $name) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- /* The Prometheus operator ignores monitors with a timeout above the interval. */ -}}
{{- define "prtg-exporter.validateTimes" -}}
{{- if and .interval .scrapeTimeout -}}
{{- if gt (int64 (include "prtg-exporter.milliseconds" .scrapeTimeout)) (int64 (include "prtg-exporter.milliseconds" .interval)) -}}
{{- fail (printf "prtg-exporter: a scrapeTimeout of %s is longer than the interval of %s. The Prometheus operator rejects this" .scrapeTimeout .interval) -}}
{{- end -}}
{{- end -}}
{{- end -}}

{{- define "prtg-exporter.milliseconds" -}}
{{- $units := dict "ms" 1 "s" 1000 "m" 60000 "h" 3600000 "d" 86400000 "w" 604800000 "y" 31536000000 -}}
{{- $sum := 0 -}}
{{- range regexFindAll "[0-9]+(ms|[smhdwy])" . -1 -}}
{{- $sum = add $sum (mul (regexFind "[0-9]+" . | int64) (get $units (regexFind "[a-z]+" .) | int64)) -}}
{{- end -}}
{{- $sum -}}
{{- end -}}

{{- /* Other labels than the exporter: the Service must not select the test pod. */ -}}
{{- define "prtg-exporter.testLabels" -}}
app.kubernetes.io/name: {{ printf "%s-test" (include "prtg-exporter.name" . | trunc 58) | quote }}
app.kubernetes.io/instance: {{ .Release.Name | quote }}
{{- end -}}
