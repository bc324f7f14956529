{{/* A variable of a Secret: (dict "root" $ "variable" "NATS_PASSWORD" "secret" "nats" "key" "gateway"). */}}
{{- define "almanac.secretVariable" -}}
- name: {{ .variable }}
  valueFrom:
    secretKeyRef:
      name: {{ include "almanac.secret" . }}
      key: {{ .key }}
      {{- if .mayBeMissing }}
      optional: true
      {{- end }}
{{- end }}

{{/* A login at a server: (dict "root" $ "server" "nats" "user" "gateway"). */}}
{{- define "almanac.login" -}}
- name: {{ upper .server }}_USER
  value: {{ .user }}
{{ include "almanac.secretVariable" (dict "root" .root "variable" (printf "%s_PASSWORD" (upper .server)) "secret" .server "key" .user) }}
{{- end }}

{{/* The key of a bucket: (dict "root" $ "secret" "s3-slabs"). */}}
{{- define "almanac.bucketKey" -}}
{{ include "almanac.secretVariable" (dict "root" .root "variable" "S3_ACCESS_KEY_ID" "secret" .secret "key" "access-key-id") }}
{{ include "almanac.secretVariable" (dict "root" .root "variable" "S3_SECRET_ACCESS_KEY" "secret" .secret "key" "secret-access-key") }}
{{- end }}

{{/* Values as variables: (dict "NAME" "value"). */}}
{{- define "almanac.variables" -}}
{{- range $name, $value := . }}
- name: {{ $name }}
  value: {{ $value | toString | quote }}
{{- end }}
{{- end }}

{{/* ConfigMaps as variables: (list "almanac" "almanac-s3"). */}}
{{- define "almanac.maps" -}}
{{- range . }}
- configMapRef: { name: {{ . }} }
{{- end }}
{{- end }}

{{/* The variables of a service: (dict "root" $ "name" "gateway" "row" {…} "own" {…}). */}}
{{- define "almanac.serviceEnv" -}}
{{- $made := include "almanac.madeEnv" . -}}
{{- $made }}
{{- $own := .own.env | default dict }}
{{- range fromYamlArray $made }}
{{- if hasKey $own .name }}{{ fail (printf "services.%s.env.%s: the chart makes this variable from other values. Remove it from env, and set them." $.name .name) }}{{ end }}
{{- end }}
{{- include "almanac.variables" $own }}
{{- end }}

{{- define "almanac.madeEnv" -}}
{{- $root := .root -}}
{{ include "almanac.login" (dict "root" .root "server" "nats" "user" .name) }}
{{- range $server := list "clickhouse" "redis" }}
{{- if has $server $.row.uses }}
{{ include "almanac.login" (dict "root" $root "server" $server "user" $.name) }}
{{- end }}
{{- end }}
{{- range $bucket := list "s3" "s3-slabs" }}
{{- if has $bucket $.row.uses }}
{{ include "almanac.bucketKey" (dict "root" $root "secret" $bucket) }}
{{- end }}
{{- end }}
{{- range .row.secrets }}
{{ include "almanac.secretVariable" (merge (dict "root" $root) .) }}
{{- end }}
{{- if and (has "s3" .row.uses) .root.Values.s3.publicUrl }}
- name: S3_PUBLIC_URL
  value: {{ .root.Values.s3.publicUrl | quote }}
{{- end }}
{{- if .row.port }}
- name: HOST
  value: 0.0.0.0
- name: PORT
  value: {{ .row.port | toString | quote }}
# Longer than it takes until every load balancer knows that the pod is not ready.
- name: STOP_DELAY_MS
  value: '4000'
{{- with .root.Values.trustProxy }}
- name: TRUST_PROXY
  value: {{ . | quote }}
{{- end }}
{{- end }}
{{- if .row.folder }}
- name: {{ upper .name }}_FOLDER
  value: /var/lib/almanac
{{- end }}
{{- end }}

{{- define "almanac.serviceMaps" -}}
{{- $uses := join " " .row.uses -}}
{{- $maps := list "almanac" -}}
{{- if .root.Values.traces.endpoint }}{{ $maps = append $maps "almanac-traces" }}{{ end -}}
{{- range $server := list "clickhouse" "redis" "s3" }}
{{- if contains $server $uses }}{{ $maps = append $maps (printf "almanac-%s" $server) }}{{ end -}}
{{- end }}
{{- if .row.readsPlans }}{{ $maps = append $maps "almanac-plans" }}{{ end -}}
{{- include "almanac.maps" $maps }}
{{- end }}
