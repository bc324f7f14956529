{{/*
A server of a trial, with one pod: (dict "root" $ "name" "nats" "user" 1000 "port" (dict "name" "nats" "number" 4222) "env" "…" "container" (dict …) "files"
(dict "nats/local.conf" "/etc/nats/local.conf") "data" "/data" "secrets" (dict "nats-tls" "/etc/nats-tls")). `env` is YAML. `secrets` are mounted.
*/}}
{{- define "almanac.server" -}}
{{- $settings := index .root.Values.trialServers .name -}}
{{- $as := dict "root" .root "name" .name "partOf" "almanac-servers" -}}
apiVersion: apps/v1
kind: StatefulSet
metadata:
  name: {{ .name }}
  labels: {{ include "almanac.labels" $as | nindent 4 }}
spec:
  serviceName: {{ .name }}
  replicas: 1
  selector:
    matchLabels: { app.kubernetes.io/name: {{ .name }} }
  template:
    metadata:
      labels: {{ include "almanac.podLabels" $as | nindent 8 }}
      annotations:
        {{- $texts := "" }}
        {{- range $file, $_ := .files }}{{ $texts = print $texts ($.root.Files.Get (print "files/" $file)) }}{{ end }}
        checksum/files: {{ sha256sum $texts }}
    spec:
      automountServiceAccountToken: false
      enableServiceLinks: false
      securityContext:
        runAsNonRoot: true
        runAsUser: {{ .user }}
        runAsGroup: {{ .user }}
        fsGroup: {{ .user }}
        fsGroupChangePolicy: OnRootMismatch
        seccompProfile: { type: RuntimeDefault }
      containers:
        - name: {{ .name }}
          image: {{ $settings.image }}
          {{- toYaml .container | nindent 10 }}
          ports:
            - { name: {{ .port.name }}, containerPort: {{ .port.number }} }
          env: {{ .env | trim | nindent 12 }}
          resources: {{ toYaml $settings.resources | nindent 12 }}
          securityContext:
            allowPrivilegeEscalation: false
            capabilities: { drop: [ALL] }
          volumeMounts:
            {{- if .data }}
            - { name: data, mountPath: {{ .data }} }
            {{- end }}
            {{- range $file, $path := .files }}
            - { name: files, mountPath: {{ $path }}, subPath: {{ base $file }}, readOnly: true }
            {{- end }}
            {{- range $secret, $path := .secrets }}
            - { name: {{ $secret }}, mountPath: {{ $path }}, readOnly: true }
            {{- end }}
      volumes:
        - name: files
          configMap: { name: {{ .name }} }
        {{- range $secret, $_ := .secrets }}
        - name: {{ $secret }}
          # For the group of the pod alone: 0440.
          secret: { secretName: {{ include "almanac.secret" (dict "root" $.root "secret" $secret) }}, defaultMode: 288 }
        {{- end }}
  {{- if .data }}
  volumeClaimTemplates:
    - apiVersion: v1
      kind: PersistentVolumeClaim
      metadata:
        name: data
      spec:
        accessModes: [ReadWriteOnce]
        {{- with .root.Values.trialServers.storageClass }}
        storageClassName: {{ . }}
        {{- end }}
        resources: { requests: { storage: {{ $settings.size }} } }
  {{- end }}
---
apiVersion: v1
kind: Service
metadata:
  name: {{ .name }}
  labels: {{ include "almanac.labels" $as | nindent 4 }}
spec:
  clusterIP: None
  selector: { app.kubernetes.io/name: {{ .name }} }
  ports:
    - { name: {{ .port.name }}, port: {{ .port.number }}, targetPort: {{ .port.name }} }
---
apiVersion: v1
kind: ConfigMap
metadata:
  name: {{ .name }}
  labels: {{ include "almanac.labels" $as | nindent 4 }}
data:
  {{- range $file, $_ := .files }}
  {{ base $file }}: {{ $.root.Files.Get (print "files/" $file) | quote }}
  {{- end }}
{{- end }}

{{/* The passwords of the users of a server: (dict "root" $ "server" "nats" "users" (list …)). */}}
{{- define "almanac.passwords" -}}
{{- range .users }}
{{ include "almanac.secretVariable" (dict "root" $.root "variable" (printf "%s_PASSWORD_%s" (upper $.server) (upper .)) "secret" $.server "key" .) }}
{{- end }}
{{- end }}
