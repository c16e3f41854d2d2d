{{/* What Rootnote would find at its start of the checks in jobs.files, as a JSON list: the file, what is wrong with it, whether it is switched off. */}}
{{- define "rootnote.jobs" -}}
{{- $jobs := list -}}
{{- $head := `(?s)^\x{FEFF}?---[ \t]*\r?\n(.*?)\r?\n?---[ \t]*(?:\r?\n.*)?$` -}}
{{- range $file, $text := .Values.jobs.files -}}
{{- $mistake := "" -}}
{{- $read := dict -}}
{{- if regexMatch $head $text -}}
{{- $read = regexReplaceAll $head $text "${1}" | fromYaml -}}
{{- $missing := list -}}
{{- range list "description" "cron" -}}
{{- if not (index $read .) -}}{{- $missing = append $missing . -}}{{- end -}}
{{- end -}}
{{- if $read.Error -}}
{{- $mistake = printf "between its lines --- is no YAML: %s" $read.Error -}}
{{- else if $missing -}}
{{- $mistake = printf "has no %s" (join " and no " $missing) -}}
{{- end -}}
{{- else -}}
{{- $mistake = "has to begin with ---, description, cron and --- (jobs/README.md)" -}}
{{- end -}}
{{- $jobs = append $jobs (dict "file" $file "mistake" $mistake "isOff" (eq (toString $read.enabled) "false")) -}}
{{- end -}}
{{- $jobs | toJson -}}
{{- end -}}
