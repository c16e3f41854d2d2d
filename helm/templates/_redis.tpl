{{/* The variables that lead to Redis. Passwords come with existingSecret, as REDIS_PASSWORD, REDIS_SENTINEL_PASSWORD or a whole REDIS_URL. */}}
{{- define "rootnote.redisVariables" -}}
{{- if eq .Values.redis.mode "bundled" }}
- name: REDIS_URL
  value: redis://{{ include "rootnote.redisName" . }}:6379/0
{{- else }}
{{- with .Values.redis.external }}
{{- $variables := list
  (list "REDIS_URL" .url)
  (list "REDIS_SENTINELS" (join "," .sentinels))
  (list "REDIS_SENTINEL_MASTER" .sentinelMaster)
  (list "REDIS_SENTINEL_USERNAME" .sentinelUsername)
  (list "REDIS_CLUSTER_NODES" (join "," .clusterNodes))
  (list "REDIS_USERNAME" .username)
  (list "REDIS_TLS" (ternary "true" "" .tls.enabled)) }}
{{- if .tls.existingSecret }}
{{- range $variable, $key := dict "REDIS_CA_FILE" .tls.caKey "REDIS_CERT_FILE" .tls.certKey "REDIS_KEY_FILE" .tls.keyKey }}
{{- $variables = append $variables (list $variable (ternary (printf "/etc/rootnote/redis-tls/%s" $key) "" (ne $key ""))) }}
{{- end }}
{{- end }}
{{- range $variables }}
{{- if last . }}
- name: {{ first . }}
  value: {{ last . | quote }}
{{- end }}
{{- end }}
{{- end }}
{{- end }}
{{- end -}}

{{/* Configuration of the bundled server, how it is started and how it is asked. */}}
{{- define "rootnote.redisFiles" -}}
redis.conf: |
  # Nothing that was acknowledged is lost: everything is in the append-only file, and nothing is ever evicted.
  appendonly yes
  appendfsync everysec
  save ""
  maxmemory {{ .Values.redis.bundled.maxMemory }}
  maxmemory-policy noeviction
  dir /data
  port 6379
  # Who may come in is decided by the password and by the network policy.
  protected-mode no
start.sh: |
  # The password goes into a file that only the server's user reads, in memory.
  set -eu
  umask 077
  cp /etc/redis/redis.conf /run/redis/redis.conf
  if [ -n "${REDISCLI_AUTH:-}" ]; then
    printf 'requirepass "%s"\n' "$(printf %s "$REDISCLI_AUTH" | sed 's/[\\"]/\\&/g')" >>/run/redis/redis.conf
  fi
  unset REDISCLI_AUTH
  exec "$(command -v valkey-server || command -v redis-server)" /run/redis/redis.conf
ping.sh: |
  # An answer of the given kind, within the time of the probe.
  client=$(command -v valkey-cli || command -v redis-cli)
  "$client" -h 127.0.0.1 ping 2>&1 | grep -Eq "^($1)"
{{- end -}}

{{/* Bytes of a quantity of Kubernetes (1Gi) or of a size of Redis (1gb). */}}
{{- define "rootnote.bytes" -}}
{{- $text := include "rootnote.text" . -}}
{{- $unit := regexFind "[A-Za-z]*$" $text -}}
{{- $units := dict "" 1 "m" 0.001 "k" 1e3 "M" 1e6 "G" 1e9 "T" 1e12 "Ki" 1024 "Mi" 1048576 "Gi" 1073741824 "Ti" 1099511627776 "mb" 1048576 "gb" 1073741824 -}}
{{- mulf (trimSuffix $unit $text | float64) (get $units $unit) | int64 -}}
{{- end -}}
