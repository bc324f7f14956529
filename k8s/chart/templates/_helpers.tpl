{{/* The table of services, which `npm run deploy:make` writes. */}}
{{- define "almanac.table" -}}
{{ .Files.Get "files/services.json" }}
{{- end }}

{{/* Labels of an object: (dict "root" $ "name" "gateway"). Pods and selectors have only the first two. */}}
{{- define "almanac.podLabels" -}}
app.kubernetes.io/name: {{ .name }}
app.kubernetes.io/part-of: {{ .partOf | default "almanac" }}
{{- end }}

{{- define "almanac.labels" -}}
{{ include "almanac.podLabels" . }}
app.kubernetes.io/instance: {{ .root.Release.Name }}
app.kubernetes.io/version: {{ .root.Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .root.Release.Service }}
helm.sh/chart: {{ .root.Chart.Name }}-{{ .root.Chart.Version }}
{{- end }}

{{- define "almanac.image" -}}
{{- $image := .root.Values.image -}}
{{- $digest := index ($image.digests | default dict) .name -}}
{{ $image.registry }}/{{ .name }}{{ if $digest }}@{{ $digest }}{{ else }}:{{ $image.tag | default .root.Chart.AppVersion }}{{ end }}
{{- end }}

{{/* The name of a Secret: (dict "root" $ "secret" "nats"). */}}
{{- define "almanac.secret" -}}
{{ index .root.Values.existingSecrets .secret | default (printf "almanac-%s" .secret) }}
{{- end }}

{{/* A restore needs a system without processes. */}}
{{- define "almanac.isStopped" -}}
{{ if .Values.restore.from }}true{{ end }}
{{- end }}

{{/* Addresses. Trial servers are in the same namespace. */}}
{{- define "almanac.natsUrl" -}}
{{ if .Values.trialServers.enabled }}nats://nats:4222{{ else }}{{ required "Set nats.url to the addresses of your NATS servers, such as nats://nats-0.nats:4222,nats://nats-1.nats:4222." .Values.nats.url }}{{ end }}
{{- end }}
{{- define "almanac.clickhouseUrl" -}}
{{ if .Values.trialServers.enabled }}http://clickhouse:8123{{ else }}{{ required "Set clickhouse.url to the address of ClickHouse, such as https://clickhouse.example.com:8443." .Values.clickhouse.url }}{{ end }}
{{- end }}
{{- define "almanac.redisUrl" -}}
{{ if .Values.trialServers.enabled }}redis://redis:6379{{ else }}{{ required "Set redis.url to the address of Redis or Valkey, such as rediss://redis.example.com:6379." .Values.redis.url }}{{ end }}
{{- end }}
{{- define "almanac.s3Endpoint" -}}
{{ if .Values.trialServers.enabled }}http://s3:7070{{ else }}{{ required "Set s3.endpoint to the address of the object store, such as https://s3.example.com." .Values.s3.endpoint }}{{ end }}
{{- end }}

{{/* The port of an address, or of the first of several: (dict "url" … "port" 4222). */}}
{{- define "almanac.port" -}}
{{- $hosts := regexReplaceAll "^[a-z0-9+]+://([^@/]*@)?" .url "" -}}
{{- $found := regexFind ":[0-9]+(,|/|$)" $hosts -}}
{{- if $found }}{{ regexFind "[0-9]+" $found }}{{ else if hasPrefix "https:" .url }}443{{ else }}{{ .port }}{{ end }}
{{- end }}

{{/* Whether this release makes the Secrets or ClickHouse itself, so that nothing can use them before it. */}}
{{- define "almanac.makesServers" -}}
{{ if or .Values.trialServers.enabled .Values.generateSecrets .Values.externalSecrets.enabled }}true{{ end }}
{{- end }}

{{/* What every pod of Almanac has: (dict "root" $ "name" "gateway" "scheduling" (dict)). */}}
{{- define "almanac.pod" -}}
{{- $scheduling := mergeOverwrite (deepCopy .root.Values.scheduling) (.scheduling | default dict) -}}
serviceAccountName: {{ .account | default .name }}
automountServiceAccountToken: false
enableServiceLinks: false
{{- with .root.Values.imagePullSecrets }}
imagePullSecrets: {{ toYaml . | nindent 2 }}
{{- end }}
securityContext:
  runAsNonRoot: true
  runAsUser: 1000
  runAsGroup: 1000
  fsGroup: 1000
  fsGroupChangePolicy: OnRootMismatch
  seccompProfile: { type: RuntimeDefault }
{{- range $field, $value := $scheduling }}
{{- if $value }}
{{ $field }}: {{ toJson $value }}
{{- end }}
{{- end }}
{{- end }}

{{- define "almanac.containerSecurity" -}}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}

{{- define "almanac.account" -}}
apiVersion: v1
kind: ServiceAccount
metadata:
  name: {{ .name }}
  labels: {{ include "almanac.labels" . | nindent 4 }}
  {{- with mergeOverwrite (dict) (index .root.Values.serviceAccountAnnotations .name | default dict) (.annotations | default dict) }}
  annotations: {{ toYaml . | nindent 4 }}
  {{- end }}
automountServiceAccountToken: false
{{- end }}

{{/* The certificates for NATS, as lists of YAML. A Secret that changes is seen in the folder, without a new pod. */}}
{{- define "almanac.natsTlsMount" -}}
{{- if .Values.nats.tls.enabled -}}
- { name: nats-tls, mountPath: /etc/almanac/nats, readOnly: true }
{{- end }}
{{- end }}
{{- define "almanac.natsTlsVolume" -}}
{{- if .Values.nats.tls.enabled -}}
- name: nats-tls
  # For the group of the pods alone: 0440.
  secret: { secretName: {{ include "almanac.secret" (dict "root" . "secret" "nats-tls") }}, defaultMode: 288 }
{{- end }}
{{- end }}

{{- define "almanac.podAnnotations" -}}
checksum/config: {{ include (print .root.Template.BasePath "/config.yaml") .root | sha256sum }}
{{- with .root.Values.podAnnotations }}
{{ toYaml . }}
{{- end }}
{{- end }}
