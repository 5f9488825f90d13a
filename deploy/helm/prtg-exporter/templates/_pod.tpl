{{- /* Pod template of Deployment and StatefulSet. */ -}}
{{- define "prtg-exporter.pod" -}}
{{- $sharded := and (eq .Values.kind "StatefulSet") (gt (int (include "prtg-exporter.replicaCount" .)) 1) -}}
{{- $config := include "prtg-exporter.config" . -}}
{{- $webSecret := include "prtg-exporter.webConfigSecret" . -}}
{{- $election := .Values.leaderElection -}}
metadata:
  labels:
    {{- include "prtg-exporter.labelsWith" (dict "context" . "more" (list .Values.podLabels)) | nindent 4 }}
  annotations:
    kubectl.kubernetes.io/default-container: exporter
    {{- if and $config (not .Values.autoReload.enabled) }}
    checksum/config: {{ sha256sum $config }}
    {{- end }}
    {{- with .Values.podAnnotations }}
    {{- include "prtg-exporter.rendered" (dict "value" . "context" $) | nindent 4 }}
    {{- end }}
spec:
  serviceAccountName: {{ include "prtg-exporter.serviceAccountName" . }}
  automountServiceAccountToken: {{ or .Values.automountServiceAccountToken $election.enabled }}
  enableServiceLinks: false
  {{- with include "prtg-exporter.imagePullSecrets" . }}{{- . | nindent 2 }}{{- end }}
  securityContext:
    {{- toYaml .Values.podSecurityContext | nindent 4 }}
  {{- /* The exporter must not be process 1: the kernel drops signals to it during startup. */}}
  shareProcessNamespace: {{ .Values.shareProcessNamespace }}
  terminationGracePeriodSeconds: {{ .Values.terminationGracePeriodSeconds }}
  {{- with .Values.priorityClassName }}
  priorityClassName: {{ . }}
  {{- end }}
  {{- with .Values.runtimeClassName }}
  runtimeClassName: {{ . }}
  {{- end }}
  {{- if .Values.hostNetwork }}
  hostNetwork: true
  {{- end }}
  {{- with default (ternary "ClusterFirstWithHostNet" "" .Values.hostNetwork) .Values.dnsPolicy }}
  dnsPolicy: {{ . }}
  {{- end }}
  {{- with .Values.dnsConfig }}
  dnsConfig:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.hostAliases }}
  hostAliases:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.initContainers }}
  initContainers:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  containers:
    - name: exporter
      image: {{ include "prtg-exporter.image" . | quote }}
      imagePullPolicy: {{ .Values.image.pullPolicy }}
      args:
        - serve
        {{- if or $config .Values.existingConfig.name }}
        - --config.file=/etc/prtg-exporter/config/{{ ternary .Values.existingConfig.key "prtg-exporter.yaml" (ne .Values.existingConfig.name "") }}
        {{- end }}
        - --web.listen-address=:{{ .Values.web.port }}
        - --web.telemetry-path={{ .Values.web.telemetryPath }}
        {{- if $webSecret }}
        - --web.config.file=/etc/prtg-exporter/web/{{ include "prtg-exporter.webConfigKey" . }}
        {{- end }}
        {{- if .Values.web.enableLifecycle }}
        - --web.enable-lifecycle
        {{- end }}
        {{- if .Values.autoReload.enabled }}
        - --config.auto-reload-interval={{ .Values.autoReload.interval }}
        {{- end }}
        {{- if $sharded }}
        - --shard=$(SHARD_INDEX)/{{ include "prtg-exporter.replicaCount" . }}
        {{- end }}
        {{- if $election.enabled }}
        - --leader-elect
        - --leader-elect-resource-name={{ include "prtg-exporter.fullname" . }}
        - --leader-elect-lease-duration={{ $election.leaseDuration }}
        - --leader-elect-renew-deadline={{ $election.renewDeadline }}
        - --leader-elect-retry-period={{ $election.retryPeriod }}
        {{- end }}
        {{- with .Values.log.level }}
        - --log.level={{ . }}
        {{- end }}
        {{- with .Values.log.format }}
        - --log.format={{ . }}
        {{- end }}
        {{- with .Values.extraArgs }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- if or $sharded $election.enabled .Values.extraEnv }}
      env:
        {{- if $sharded }}
        - name: SHARD_INDEX
          valueFrom:
            fieldRef:
              fieldPath: metadata.labels['apps.kubernetes.io/pod-index']
        {{- end }}
        {{- if $election.enabled }}
        - name: POD_NAME
          valueFrom:
            fieldRef:
              fieldPath: metadata.name
        - name: POD_UID
          valueFrom:
            fieldRef:
              fieldPath: metadata.uid
        {{- end }}
        {{- with .Values.extraEnv }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
      {{- end }}
      {{- with .Values.extraEnvFrom }}
      envFrom:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      ports:
        - name: http
          containerPort: {{ .Values.web.port }}
          protocol: TCP
      startupProbe:
        {{- include "prtg-exporter.probe" (dict "context" . "path" "/-/healthy" "settings" .Values.startupProbe) | nindent 8 }}
      livenessProbe:
        {{- include "prtg-exporter.probe" (dict "context" . "path" "/-/healthy" "settings" .Values.livenessProbe) | nindent 8 }}
      readinessProbe:
        {{- include "prtg-exporter.probe" (dict "context" . "path" "/-/ready" "settings" .Values.readinessProbe) | nindent 8 }}
      {{- with include "prtg-exporter.lifecycle" . }}
      lifecycle:
        {{- . | nindent 8 }}
      {{- end }}
      securityContext:
        {{- toYaml .Values.securityContext | nindent 8 }}
      {{- with .Values.resources }}
      resources:
        {{- toYaml . | nindent 8 }}
      {{- end }}
      volumeMounts:
        {{- include "prtg-exporter.readOnlyMounts" . | nindent 8 }}
        {{- if include "prtg-exporter.hasState" . }}
        - name: state
          mountPath: /var/lib/prtg-exporter
        {{- end }}
        {{- with .Values.extraVolumeMounts }}
        {{- toYaml . | nindent 8 }}
        {{- end }}
    {{- with .Values.extraContainers }}
    {{- toYaml . | nindent 4 }}
    {{- end }}
  volumes:
    {{- include "prtg-exporter.volumes" . | nindent 4 }}
  {{- with .Values.nodeSelector }}
  nodeSelector:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- with .Values.tolerations }}
  tolerations:
    {{- toYaml . | nindent 4 }}
  {{- end }}
  {{- if .Values.affinity }}
  affinity:
    {{- toYaml .Values.affinity | nindent 4 }}
  {{- else if $election.enabled }}
  {{- /* On the same node, both pods fail together. */}}
  affinity:
    podAntiAffinity:
      preferredDuringSchedulingIgnoredDuringExecution:
        - weight: 100
          podAffinityTerm:
            topologyKey: kubernetes.io/hostname
            labelSelector:
              matchLabels:
                {{- include "prtg-exporter.selectorLabels" . | nindent 16 }}
  {{- end }}
  {{- with .Values.topologySpreadConstraints }}
  topologySpreadConstraints:
    {{- range . }}
    {{- $selector := dict "labelSelector" (dict "matchLabels" (include "prtg-exporter.selectorLabels" $ | fromYaml)) }}
    - {{- toYaml (merge (deepCopy .) $selector) | nindent 6 }}
    {{- end }}
  {{- end }}
{{- end -}}

{{- /* A handler of the user replaces the sleep. Kubernetes before 1.30 rejects the sleep by default. */ -}}
{{- define "prtg-exporter.lifecycle" -}}
{{- $lifecycle := deepCopy .Values.lifecycle -}}
{{- $preStop := default dict $lifecycle.preStop -}}
{{- if or (gt (len $preStop) 1) (semverCompare "<1.30-0" .Capabilities.KubeVersion.Version) -}}
{{- $preStop = omit $preStop "sleep" -}}
{{- end -}}
{{- if and $preStop.sleep (eq (toString $preStop.sleep.seconds) "auto") -}}
{{- $preStop = dict "sleep" (dict "seconds" (int (include "prtg-exporter.sleep" .))) -}}
{{- end -}}
{{- $lifecycle = omit $lifecycle "preStop" -}}
{{- with $preStop -}}{{- $lifecycle = merge (dict "preStop" .) $lifecycle -}}{{- end -}}
{{- with $lifecycle }}{{ toYaml . }}{{- end -}}
{{- end -}}

{{- /* Longer if no new pod waits for this one. Leaves ten seconds of the grace period for the shutdown. */ -}}
{{- define "prtg-exporter.sleep" -}}
{{- $beside := and (eq .Values.kind "Deployment") (not .Values.leaderElection.enabled) -}}
{{- if and $beside (eq (include "prtg-exporter.strategy" . | fromYaml).type "RollingUpdate") -}}
{{- max 3 (min 20 (sub (int .Values.terminationGracePeriodSeconds) 10)) -}}
{{- else -}}3{{- end -}}
{{- end -}}

{{- define "prtg-exporter.probe" -}}
httpGet:
  path: {{ .path }}
  port: http
  scheme: {{ include "prtg-exporter.scheme" .context | upper }}
  {{- with .context.Values.probeHeaders }}
  httpHeaders:
    {{- toYaml . | nindent 4 }}
  {{- end }}
{{- with .settings }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- /* Empty without a state folder: a standby pod would keep outdated state. */ -}}
{{- define "prtg-exporter.hasState" -}}
{{- if or .Values.persistence.enabled (not .Values.leaderElection.enabled) -}}yes{{- end -}}
{{- end -}}

{{- /* Names of Secrets can have dots and 253 characters, names of volumes no dots and 63. The hash keeps them apart. */ -}}
{{- define "prtg-exporter.secretVolume" -}}
{{- if or (contains "." .) (gt (len .) 56) -}}
{{- printf "secret-%s-%s" (replace "." "-" . | trunc 47 | trimSuffix "-") (sha256sum . | trunc 8) -}}
{{- else -}}
{{- printf "secret-%s" . -}}
{{- end -}}
{{- end -}}

{{- define "prtg-exporter.secretMounts" -}}
{{- $context := .context -}}
{{- range .secrets }}
{{- $name := tpl .name $context }}
- name: {{ include "prtg-exporter.secretVolume" $name }}
  mountPath: /etc/prtg-exporter/secrets/{{ $name }}
  readOnly: true
{{- end }}
{{- end -}}

{{- define "prtg-exporter.secretVolumes" -}}
{{- $context := .context -}}
{{- range .secrets }}
{{- $name := tpl .name $context }}
- name: {{ include "prtg-exporter.secretVolume" $name }}
  secret:
    secretName: {{ $name }}
    defaultMode: 0440
    {{- with .items }}
    items:
      {{- toYaml . | nindent 6 }}
    {{- end }}
    {{- if hasKey . "optional" }}
    optional: {{ .optional }}
    {{- end }}
{{- end }}
{{- end -}}

{{- define "prtg-exporter.readOnlyMounts" -}}
{{- if or (include "prtg-exporter.config" .) .Values.existingConfig.name }}
- name: config
  mountPath: /etc/prtg-exporter/config
  readOnly: true
{{- end }}
{{- if include "prtg-exporter.webConfigSecret" . }}
- name: web-config
  mountPath: /etc/prtg-exporter/web
  readOnly: true
{{- end }}
{{- include "prtg-exporter.secretMounts" (dict "context" . "secrets" .Values.secrets) }}
{{- end -}}

{{- /* Readable for the fsGroup, because the exporter does not own mounted files. */ -}}
{{- define "prtg-exporter.volumes" -}}
{{- $existing := .Values.existingConfig -}}
{{- if or (include "prtg-exporter.config" .) $existing.name }}
- name: config
  {{- if eq (ternary $existing.kind .Values.configKind (ne $existing.name "")) "Secret" }}
  secret:
    secretName: {{ default (printf "%s-config" (include "prtg-exporter.fullname" .)) (tpl $existing.name .) }}
    defaultMode: 0440
  {{- else }}
  configMap:
    name: {{ default (printf "%s-config" (include "prtg-exporter.fullname" .)) (tpl $existing.name .) }}
    defaultMode: 0440
  {{- end }}
{{- end }}
{{- with include "prtg-exporter.webConfigSecret" . }}
- name: web-config
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- include "prtg-exporter.secretVolumes" (dict "context" . "secrets" .Values.secrets) }}
{{- if not (include "prtg-exporter.hasState" .) }}
{{- else if not .Values.persistence.enabled }}
- name: state
  emptyDir: {}
{{- else if eq .Values.kind "Deployment" }}
- name: state
  persistentVolumeClaim:
    claimName: {{ default (printf "%s-state" (include "prtg-exporter.fullname" .)) (tpl .Values.persistence.existingClaim .) }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "prtg-exporter.claimSpec" -}}
accessModes:
  {{- toYaml .accessModes | nindent 2 }}
{{- if eq .storageClass "-" }}
storageClassName: ""
{{- else if .storageClass }}
storageClassName: {{ .storageClass }}
{{- end }}
resources:
  requests:
    storage: {{ .size }}
{{- end -}}
