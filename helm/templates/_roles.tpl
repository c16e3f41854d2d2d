{{/* The roles of this mode, as a JSON list. */}}
{{- define "rootnote.roles" -}}
{{- ternary (list "all") (list "serve" "work" "schedule") (eq .Values.mode "all") | toJson -}}
{{- end -}}

{{/* The role that takes webhooks. */}}
{{- define "rootnote.receiver" -}}
{{- ternary "all" "serve" (eq .Values.mode "all") -}}
{{- end -}}

{{/* The role that investigates and delivers. */}}
{{- define "rootnote.worker" -}}
{{- ternary "all" "work" (eq .Values.mode "all") -}}
{{- end -}}

{{/* "true" when webhooks are taken without credentials. */}}
{{- define "rootnote.takesAnybody" -}}
{{- if has (toString .Values.settings.ALLOW_UNAUTHENTICATED) (list "true" "1" "yes") -}}true{{- end -}}
{{- end -}}

{{/* The Secret of a role; may be empty. Input: context, role. */}}
{{- define "rootnote.secretOf" -}}
{{- dig .role "existingSecret" "" .context.Values.AsMap | default .context.Values.existingSecret -}}
{{- end -}}

{{/* "true" for a role that reads telemetry, and with it the cluster. */}}
{{- define "rootnote.investigates" -}}
{{- if has . (list "all" "work") -}}true{{- end -}}
{{- end -}}

{{/* "true" when somebody else decides how many replicas of a role there are. */}}
{{- define "rootnote.scales" -}}
{{- if or (dig "autoscaling" "enabled" false .) (dig "keda" "enabled" false .) -}}true{{- end -}}
{{- end -}}

{{/* Seconds from SIGTERM to SIGKILL: the wait for load balancers, the grace of Rootnote itself, and a reserve. */}}
{{- define "rootnote.terminationSeconds" -}}
{{- $graceMs := .Values.settings.SHUTDOWN_GRACE_MS | default 25000 | int64 -}}
{{- add (div (add $graceMs 999) 1000) 10 -}}
{{- end -}}

{{/* A value as text. YAML's whole numbers come as floating point, which prints 10485760 as 1.048576e+07. */}}
{{- define "rootnote.text" -}}
{{- if and (kindIs "float64" .) (eq (float64 (int64 .)) .) -}}{{ int64 . }}{{- else -}}{{ . }}{{- end -}}
{{- end -}}
