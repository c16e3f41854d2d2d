{{/* What works and is not what most people want, as a JSON list. */}}
{{- define "rootnote.warnings" -}}
{{- $warnings := list -}}
{{- if eq .Values.image.repository "rootnote" -}}
{{- $warnings = append $warnings "image.repository is not set: no registry has an image of that name; build it, push it to one of yours and name it." -}}
{{- end -}}
{{- if not .Values.settings.PROMETHEUS_URL -}}
{{- $warnings = append $warnings "settings.PROMETHEUS_URL is not set: reports will hold no metrics." -}}
{{- end -}}
{{- if and (eq .Values.redis.mode "bundled") (not .Values.redis.bundled.persistence.enabled) -}}
{{- $warnings = append $warnings "redis.bundled.persistence.enabled is false: a restart of Redis loses every alert and report." -}}
{{- end -}}
{{- if and (eq .Values.redis.mode "bundled") (not .Values.redis.bundled.auth) (not .Values.redis.bundled.networkPolicy) -}}
{{- $warnings = append $warnings "redis.bundled.auth is false and there is no network policy: every pod of the cluster can read and change alerts and reports." -}}
{{- end -}}
{{- if eq .Values.redis.mode "bundled" -}}
{{- $limit := dig "limits" "memory" "" .Values.redis.bundled.resources -}}
{{- if and $limit (gt (mul 2 (include "rootnote.bytes" .Values.redis.bundled.maxMemory | int64)) (include "rootnote.bytes" $limit | int64)) -}}
{{- $warnings = append $warnings "redis.bundled.maxMemory is more than half of the memory limit: while the server rewrites its file it may be killed." -}}
{{- end -}}
{{- end -}}
{{- range include "rootnote.jobs" . | fromJsonArray -}}
{{- if .isOff -}}
{{- $warnings = append $warnings (printf "jobs.files: %s has enabled: false, so it does not run." .file) -}}
{{- end -}}
{{- end -}}
{{- if and (eq .Values.mode "split") (lt (int .Values.serve.replicas) 2) (not .Values.serve.autoscaling.enabled) -}}
{{- $warnings = append $warnings "serve.replicas is 1: while its node is drained, alerts wait at their sender." -}}
{{- end -}}
{{- if and .Values.kubernetes.enabled .Values.kubernetes.rbac.create (not .Values.kubernetes.rbac.configMaps) -}}
{{- $warnings = append $warnings "kubernetes.rbac.configMaps is false: who edited a ConfigMap, and when, is not seen; changes of configuration are told from rollouts alone." -}}
{{- end -}}
{{- if not .Values.metrics.rules.enabled -}}
{{- $warnings = append $warnings "metrics.rules.enabled is false: nobody is told when Rootnote itself does not work." -}}
{{- else if not (or .Values.metrics.serviceMonitor.enabled .Values.metrics.podMonitor.enabled) -}}
{{- $warnings = append $warnings "metrics.rules.enabled is true, and neither serviceMonitor nor podMonitor: scrape /metrics of every pod, or RootnoteDown fires." -}}
{{- end -}}
{{- if include "rootnote.takesAnybody" . -}}
{{- $warnings = append $warnings "settings.ALLOW_UNAUTHENTICATED: whoever reaches the Service can open incidents and read reports." -}}
{{- end -}}
{{- $warnings = append $warnings "Pods read Secrets at their start: after a change, kubectl rollout restart the Deployments." -}}
{{- $warnings | toJson -}}
{{- end -}}
