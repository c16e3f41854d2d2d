{{/* What a schema cannot say: values that contradict each other, or with which nothing would start. All of them are told at once. */}}
{{- define "rootnote.refuse" -}}
{{- $wrong := concat (include "rootnote.refuseSecrets" . | fromJsonArray) (include "rootnote.refuseRedis" . | fromJsonArray) (include "rootnote.refuseBoth" . | fromJsonArray) (include "rootnote.refuseUnused" . | fromJsonArray) (include "rootnote.refuseJobs" . | fromJsonArray) -}}
{{- if $wrong -}}
{{- fail (printf "\n\nThese values cannot be used:\n  - %s\n" (join "\n  - " $wrong)) -}}
{{- end -}}
{{- end -}}

{{- define "rootnote.refuseSecrets" -}}
{{- $wrong := list -}}
{{- $secret := include "rootnote.secretOf" (dict "context" . "role" (include "rootnote.receiver" .)) -}}
{{- if not (or $secret .Values.extraEnvFrom .Values.extraEnv (include "rootnote.takesAnybody" .)) -}}
{{- $wrong = append $wrong "existingSecret: is empty, and Rootnote does not take webhooks without credentials. Create a Secret and name it here:\n      kubectl create secret generic rootnote --from-literal=ALERTMANAGER_BEARER_TOKENS=$(openssl rand -hex 32) --from-literal=REDIS_PASSWORD=$(openssl rand -hex 32)" -}}
{{- else if and (eq .Values.redis.mode "bundled") .Values.redis.bundled.auth (not .Values.existingSecret) -}}
{{- $wrong = append $wrong "existingSecret: is empty, and the bundled Redis takes its password from there (key REDIS_PASSWORD); or set redis.bundled.auth=false" -}}
{{- end -}}
{{- $wrong | toJson -}}
{{- end -}}

{{- define "rootnote.refuseRedis" -}}
{{- $wrong := list -}}
{{- if eq .Values.redis.mode "external" -}}
{{- with .Values.redis.external -}}
{{- $ways := list -}}
{{- if .url -}}{{- $ways = append $ways "url" -}}{{- end -}}
{{- if .sentinels -}}{{- $ways = append $ways "sentinels" -}}{{- end -}}
{{- if .clusterNodes -}}{{- $ways = append $ways "clusterNodes" -}}{{- end -}}
{{- if gt (len $ways) 1 -}}
{{- $wrong = append $wrong (printf "redis.external: %s are set; one of them leads to Redis" (join " and " $ways)) -}}
{{- end -}}
{{- if not (or $ways $.Values.existingSecret $.Values.extraEnvFrom $.Values.extraEnv) -}}
{{- $wrong = append $wrong "redis.external: set url, sentinels or clusterNodes, or give REDIS_URL in existingSecret" -}}
{{- end -}}
{{- if and (or .sentinelMaster .sentinelUsername) (not .sentinels) -}}
{{- $wrong = append $wrong "redis.external.sentinels: are needed with sentinelMaster and sentinelUsername" -}}
{{- end -}}
{{- if contains "@" .url -}}
{{- $wrong = append $wrong "redis.external.url: holds a password or a user. The password is REDIS_PASSWORD in existingSecret, the user redis.external.username; or all of the URL is REDIS_URL in existingSecret" -}}
{{- end -}}
{{- if and (or .tls.certKey .tls.keyKey) (not (and .tls.certKey .tls.keyKey .tls.existingSecret)) -}}
{{- $wrong = append $wrong "redis.external.tls: certKey, keyKey and existingSecret belong together" -}}
{{- end -}}
{{- end -}}
{{- else -}}
{{- with .Values.redis.external -}}
{{- if or .url .sentinels .sentinelMaster .sentinelUsername .clusterNodes .username .tls.enabled .tls.existingSecret .tls.certKey .tls.keyKey -}}
{{- $wrong = append $wrong "redis.external: is not read while redis.mode is bundled; set redis.mode=external" -}}
{{- end -}}
{{- end -}}
{{- with .Values.redis.bundled -}}
{{- $limit := dig "limits" "memory" "" .resources -}}
{{- if and $limit (ge (include "rootnote.bytes" .maxMemory | int64) (include "rootnote.bytes" $limit | int64)) -}}
{{- $wrong = append $wrong (printf "redis.bundled.maxMemory: %s does not fit into redis.bundled.resources.limits.memory, %v; Kubernetes would kill the server before it is full. Leave as much again" .maxMemory $limit) -}}
{{- end -}}
{{- end -}}
{{- end -}}
{{- $wrong | toJson -}}
{{- end -}}

{{- define "rootnote.refuseBoth" -}}
{{- $wrong := list -}}
{{- range include "rootnote.knownFiles" . | fromJsonArray -}}
{{- $value := index $.Values .of -}}
{{- if and $value.existingConfigMap (or $value.content $value.files) -}}
{{- $wrong = append $wrong (printf "%s: existingConfigMap and a text of your own are set; one of them is used" .of) -}}
{{- end -}}
{{- end -}}
{{- range list "all" "work" -}}
{{- $role := index $.Values . -}}
{{- if and $role.autoscaling.enabled $role.keda.enabled -}}
{{- $wrong = append $wrong (printf "%s: autoscaling and keda are enabled; two of them would work against each other" .) -}}
{{- end -}}
{{- if and $role.keda.enabled (not $role.keda.prometheusUrl) -}}
{{- $wrong = append $wrong (printf "%s.keda.prometheusUrl: is needed with keda.enabled" .) -}}
{{- end -}}
{{- end -}}
{{- if and .Values.metrics.serviceMonitor.enabled .Values.metrics.podMonitor.enabled -}}
{{- $wrong = append $wrong "metrics: serviceMonitor and podMonitor are enabled; every pod would be scraped twice" -}}
{{- end -}}
{{- if and .Values.kubernetes.enabled .Values.kubernetes.rbac.create (not .Values.serviceAccount.create) (has .Values.serviceAccount.name (list "" "default")) -}}
{{- $wrong = append $wrong "serviceAccount.name: is needed without serviceAccount.create; else every pod of the namespace could read the cluster, since all have the account default" -}}
{{- end -}}
{{- if and .Values.networkPolicy.enabled (not .Values.networkPolicy.from) -}}
{{- $wrong = append $wrong "networkPolicy.from: is empty: name who sends webhooks and who reads metrics, as `from` of a NetworkPolicy. Every pod of the cluster: [{ namespaceSelector: {} }]" -}}
{{- end -}}
{{- if and .Values.ingress.enabled (not .Values.ingress.hosts) -}}
{{- $wrong = append $wrong "ingress.hosts: is empty, and ingress.enabled is true" -}}
{{- end -}}
{{- $wrong | toJson -}}
{{- end -}}

{{/* Roles that this mode does not have, where their values are others than those of the chart. */}}
{{- define "rootnote.refuseUnused" -}}
{{- $wrong := list -}}
{{- $used := include "rootnote.roles" . | fromJsonArray -}}
{{- range list "all" "serve" "work" "schedule" -}}
{{- $values := index $.Values . -}}
{{- $usual := ternary 1 2 (eq . "all") -}}
{{- if and (not (has . $used)) (or (ne (int $values.replicas) $usual) $values.extraEnv $values.existingSecret (include "rootnote.scales" $values)) -}}
{{- $wrong = append $wrong (printf "%s: is set, and mode %s has no such role; it has %s" . $.Values.mode (join ", " $used)) -}}
{{- end -}}
{{- end -}}
{{- $wrong | toJson -}}
{{- end -}}

{{- define "rootnote.refuseJobs" -}}
{{- $wrong := list -}}
{{- range include "rootnote.jobs" . | fromJsonArray -}}
{{- if .mistake -}}
{{- $wrong = append $wrong (printf "jobs.files: %s %s" .file .mistake) -}}
{{- end -}}
{{- end -}}
{{- $wrong | toJson -}}
{{- end -}}
