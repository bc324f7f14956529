{{/*
The pod of a program that ends: (dict "root" $ "name" "migrate" "image" "catalog" "command" (list …) "maps" (list …) "env" "…" "resources" (dict …)
"volumes" (list …) "mounts" (list …) "account" "…" "restartPolicy" "Never"). `env` is YAML.
*/}}
{{- define "almanac.task" -}}
{{- /* Who has the ConfigMap `almanac` connects to NATS. */}}
{{- $usesNats := has "almanac" (.maps | default list) }}
{{- $mounts := concat (.mounts | default list) (ternary (include "almanac.natsTlsMount" .root | fromYamlArray) list $usesNats) }}
{{- $volumes := concat (.volumes | default list) (ternary (include "almanac.natsTlsVolume" .root | fromYamlArray) list $usesNats) }}
metadata:
  labels: {{ include "almanac.podLabels" . | nindent 4 }}
spec:
  restartPolicy: {{ .restartPolicy | default "OnFailure" }}
  {{- include "almanac.pod" . | nindent 2 }}
  containers:
    - name: {{ .name }}
      image: {{ include "almanac.image" (dict "root" .root "name" .image) }}
      imagePullPolicy: {{ .root.Values.image.pullPolicy }}
      command: {{ toJson .command }}
      {{- with .args }}
      args: {{ toJson . }}
      {{- end }}
      {{- with .maps }}
      envFrom: {{ include "almanac.maps" . | nindent 8 }}
      {{- end }}
      env: {{ .env | trim | nindent 8 }}
      {{- with $mounts }}
      volumeMounts: {{ toYaml . | nindent 8 }}
      {{- end }}
      resources: {{ toYaml .resources | nindent 8 }}
      {{- include "almanac.containerSecurity" . | nindent 6 }}
  {{- with $volumes }}
  volumes: {{ toYaml . | nindent 4 }}
  {{- end }}
{{- end }}

