{{/* What every container may do: nothing but run, and write where a volume is. */}}
{{- define "rootnote.containerSecurity" -}}
allowPrivilegeEscalation: false
readOnlyRootFilesystem: true
capabilities:
  drop: [ALL]
{{- end -}}

{{/*
The environment of a container. Input: context, role. What stands under `env` goes before what comes with ConfigMaps and Secrets, so that
nothing in a Secret moves the address that probes and Services expect. `also`: a role whose Secret is needed, too.
*/}}
{{- define "rootnote.environment" -}}
{{- $ := .context -}}
envFrom:
  - configMapRef:
      name: {{ include "rootnote.fullname" $ }}-settings
  {{- $secrets := list (include "rootnote.secretOf" .) }}
  {{- with .also }}
  {{- $secrets = append $secrets (include "rootnote.secretOf" (dict "context" $ "role" .)) }}
  {{- end }}
  {{- range compact $secrets | uniq }}
  - secretRef:
      name: {{ . }}
  {{- end }}
  {{- with $.Values.extraEnvFrom }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
env:
  - name: HOST
    value: {{ $.Values.settings.HOST | default "0.0.0.0" | quote }}
  - name: PORT
    value: '8080'
  - name: STATE_DIR
    value: /state
  {{- range list (include "rootnote.redisVariables" $) (include "rootnote.fileVariables" .) }}
  {{- with trim . }}
  {{- . | nindent 2 }}
  {{- end }}
  {{- end }}
  {{- if and $.Values.kubernetes.enabled (include "rootnote.investigates" .role) }}
  - name: KUBERNETES_ENABLED
    value: 'true'
  {{- with $.Values.kubernetes.namespaces }}
  - name: KUBERNETES_NAMESPACES
    value: {{ join "," . | quote }}
  {{- end }}
  {{- end }}
  {{- with $.Values.extraEnv }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
  {{- with dig .role "extraEnv" list $.Values.AsMap }}
  {{- toYaml . | nindent 2 }}
  {{- end }}
{{- end -}}

{{- define "rootnote.mounts" -}}
- name: state
  mountPath: /state
- name: tmp
  mountPath: /tmp
{{- with include "rootnote.fileMounts" . }}
{{- . }}
{{- end }}
{{- with .Values.extraVolumeMounts }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{- define "rootnote.volumes" -}}
- name: state
  emptyDir:
    sizeLimit: {{ .Values.pod.stateSizeLimit }}
- name: tmp
  emptyDir:
    sizeLimit: 1Gi
{{- with include "rootnote.fileVolumes" . }}
{{- . }}
{{- end }}
{{- with .Values.extraVolumes }}
{{ toYaml . }}
{{- end }}
{{- end -}}

{{/*
What pods of Rootnote and of its tests share. Input: context, role.
Services are not announced as variables: one named "redis" or "prometheus" would set what looks like settings.
*/}}
{{- define "rootnote.podBasics" -}}
{{- $ := .context -}}
serviceAccountName: {{ include "rootnote.serviceAccount" $ }}
automountServiceAccountToken: {{ and $.Values.kubernetes.enabled (eq (include "rootnote.investigates" .role) "true") }}
enableServiceLinks: false
securityContext:
  {{- toYaml $.Values.pod.securityContext | nindent 2 }}
{{- with $.Values.image.pullSecrets }}
imagePullSecrets:
  {{- range . }}
  - name: {{ . }}
  {{- end }}
{{- end }}
{{- with $.Values.pod.nodeSelector }}
nodeSelector:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $.Values.pod.tolerations }}
tolerations:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $.Values.pod.affinity }}
affinity:
  {{- toYaml . | nindent 2 }}
{{- end }}
{{- with $.Values.pod.priorityClassName }}
priorityClassName: {{ . }}
{{- end }}
{{- end -}}

{{/* Input: context, role. */}}
{{- define "rootnote.spread" -}}
{{- $ := .context -}}
{{- $role := .role -}}
{{- with $.Values.pod.topologySpreadConstraints }}
{{- $labels := merge (dict "app.kubernetes.io/component" $role) (include "rootnote.selector" $ | fromYaml) }}
topologySpreadConstraints:
  {{- range . }}
  - {{ toYaml (merge (deepCopy .) (dict "labelSelector" (dict "matchLabels" $labels))) | nindent 4 | trim }}
  {{- end }}
{{- end }}
{{- end -}}
