{{/*
Every file that can be given, as a JSON list: the value it is of, the variable that names it, its key. Without a key the variable
names the whole folder. A receiver sends nothing and asks nobody: it is not told of files that name the secrets of others.
*/}}
{{- define "rootnote.knownFiles" -}}
{{- list
  (dict "of" "skills" "variable" "SKILLS_DIR")
  (dict "of" "jobs" "variable" "JOBS_DIR")
  (dict "of" "routes" "variable" "ROUTES_FILE" "key" "routes.yaml" "except" "serve")
  (dict "of" "queries" "variable" "QUERIES_FILE" "key" "queries.yaml")
  (dict "of" "sources" "variable" "SOURCES_FILE" "key" "sources.yaml")
  (dict "of" "topology" "variable" "TOPOLOGY_FILE" "key" "topology.json")
  (dict "of" "mcp" "variable" "MCP_CONFIG_FILE" "key" "mcp.yaml" "except" "serve")
  (dict "of" "redactPatterns" "variable" "REDACT_PATTERNS_FILE" "key" "redact-patterns.yaml")
  | toJson -}}
{{- end -}}

{{/* Those that are given, as a JSON list with the ConfigMap of each. */}}
{{- define "rootnote.files" -}}
{{- $given := list -}}
{{- range include "rootnote.knownFiles" . | fromJsonArray -}}
{{- $value := index $.Values .of -}}
{{- $own := printf "%s-%s" (include "rootnote.fullname" $) (kebabcase .of) -}}
{{- if or $value.existingConfigMap $value.content $value.files -}}
{{- $given = append $given (merge (dict "configMap" ($value.existingConfigMap | default $own)) .) -}}
{{- end -}}
{{- end -}}
{{- $given | toJson -}}
{{- end -}}

{{/* All that is given, as one text: when it changes, the files have changed. */}}
{{- define "rootnote.fileTexts" -}}
{{- range include "rootnote.files" . | fromJsonArray -}}
{{- index $.Values .of | toJson -}}
{{- end -}}
{{- end -}}

{{/* Input: context, role. */}}
{{- define "rootnote.fileVariables" -}}
{{- $role := .role -}}
{{- range include "rootnote.files" .context | fromJsonArray }}
{{- if ne $role (.except | default "") }}
- name: {{ .variable }}
  value: /etc/rootnote/{{ kebabcase .of }}{{ if .key }}/{{ .key }}{{ end }}
{{- end }}
{{- end }}
{{- end -}}

{{- define "rootnote.fileMounts" -}}
{{- range include "rootnote.files" . | fromJsonArray }}
- name: {{ kebabcase .of }}
  mountPath: /etc/rootnote/{{ kebabcase .of }}
  readOnly: true
{{- end }}
{{- if and (eq .Values.redis.mode "external") .Values.redis.external.tls.existingSecret }}
- name: redis-tls
  mountPath: /etc/rootnote/redis-tls
  readOnly: true
{{- end }}
{{- end -}}

{{- define "rootnote.fileVolumes" -}}
{{- range include "rootnote.files" . | fromJsonArray }}
- name: {{ kebabcase .of }}
  configMap:
    name: {{ .configMap }}
{{- end }}
{{- if eq .Values.redis.mode "external" }}
{{- with .Values.redis.external.tls.existingSecret }}
- name: redis-tls
  secret:
    secretName: {{ . }}
    defaultMode: 0440
{{- end }}
{{- end }}
{{- end -}}
