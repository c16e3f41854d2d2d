{{/* Which series are of this release, as matchers of PromQL. */}}
{{- define "rootnote.series" -}}
{{- .Values.metrics.rules.selector | default (printf "namespace=%q" .Release.Namespace) -}}
{{- end -}}
