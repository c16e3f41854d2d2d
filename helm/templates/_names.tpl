{{/* What the names of all objects begin with; room is left for the longest ending. */}}
{{- define "rootnote.fullname" -}}
{{- if .Values.fullnameOverride -}}
{{- .Values.fullnameOverride -}}
{{- else -}}
{{- $name := default .Chart.Name .Values.nameOverride -}}
{{- $full := ternary .Release.Name (printf "%s-%s" .Release.Name $name) (contains $name .Release.Name) -}}
{{- $full | trunc 40 | trimSuffix "-" -}}
{{- end -}}
{{- end -}}

{{/* Objects without a namespace have a name that no release elsewhere has. */}}
{{- define "rootnote.clusterName" -}}
{{- $name := printf "%s-%s" .Release.Namespace (include "rootnote.fullname" .) -}}
{{- if gt (len $name) 54 -}}
{{- printf "%s-%s" ($name | trunc 45 | trimSuffix "-") ($name | sha256sum | trunc 8) -}}
{{- else -}}
{{- $name -}}
{{- end -}}
{{- end -}}

{{- define "rootnote.name" -}}
{{- default .Chart.Name .Values.nameOverride | trunc 50 | trimSuffix "-" -}}
{{- end -}}

{{/* Labels of every object. */}}
{{- define "rootnote.labels" -}}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version | replace "+" "_" | trunc 63 | trimSuffix "-" }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
app.kubernetes.io/part-of: rootnote
{{ include "rootnote.selector" . }}
{{- end -}}

{{/* What all pods of Rootnote have, and no other pod: the bundled Redis and the pods of tests have names of their own. */}}
{{- define "rootnote.selector" -}}
app.kubernetes.io/name: {{ include "rootnote.name" . }}
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "rootnote.redisSelector" -}}
app.kubernetes.io/name: {{ include "rootnote.name" . }}-redis
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "rootnote.testSelector" -}}
app.kubernetes.io/name: {{ include "rootnote.name" . }}-test
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end -}}

{{- define "rootnote.redisName" -}}
{{ include "rootnote.fullname" . }}-redis
{{- end -}}

{{- define "rootnote.serviceAccount" -}}
{{- $default := ternary (include "rootnote.fullname" .) "default" .Values.serviceAccount.create -}}
{{- .Values.serviceAccount.name | default $default -}}
{{- end -}}

{{- define "rootnote.image" -}}
{{- with .Values.image -}}
{{- if .digest -}}
{{ .repository }}@{{ .digest }}
{{- else -}}
{{ .repository }}:{{ .tag | default $.Chart.AppVersion }}
{{- end -}}
{{- end -}}
{{- end -}}
