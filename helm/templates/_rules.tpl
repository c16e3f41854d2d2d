{{/* What is read in a namespace. Secrets are in no list, and there is no verb that changes anything. */}}
{{- define "rootnote.namespaceRules" -}}
{{- $verbs := list "get" "list" -}}
{{- $core := list "pods" "services" "endpoints" "events" "persistentvolumeclaims" "resourcequotas" "limitranges" "serviceaccounts" -}}
{{- if .Values.kubernetes.rbac.configMaps -}}{{- $core = append $core "configmaps" -}}{{- end -}}
{{- $rules := list (dict "apiGroups" (list "") "resources" $core "verbs" $verbs) -}}
{{- if .Values.kubernetes.rbac.podLogs -}}
{{- $rules = append $rules (dict "apiGroups" (list "") "resources" (list "pods/log") "verbs" (list "get")) -}}
{{- end -}}
{{- concat $rules (list
  (dict "apiGroups" (list "events.k8s.io") "resources" (list "events") "verbs" $verbs)
  (dict "apiGroups" (list "discovery.k8s.io") "resources" (list "endpointslices") "verbs" $verbs)
  (dict "apiGroups" (list "apps") "resources" (list "deployments" "replicasets" "statefulsets" "daemonsets" "controllerrevisions") "verbs" $verbs)
  (dict "apiGroups" (list "batch") "resources" (list "jobs" "cronjobs") "verbs" $verbs)
  (dict "apiGroups" (list "autoscaling") "resources" (list "horizontalpodautoscalers") "verbs" $verbs)
  (dict "apiGroups" (list "networking.k8s.io") "resources" (list "ingresses" "networkpolicies") "verbs" $verbs)
  (dict "apiGroups" (list "rbac.authorization.k8s.io") "resources" (list "rolebindings") "verbs" $verbs)
  (dict "apiGroups" (list "policy") "resources" (list "poddisruptionbudgets") "verbs" $verbs))
  | toYaml -}}
{{- end -}}

{{/* What belongs to no namespace. */}}
{{- define "rootnote.clusterRules" -}}
{{- $verbs := list "get" "list" -}}
{{- list
  (dict "apiGroups" (list "") "resources" (list "nodes" "namespaces" "persistentvolumes") "verbs" $verbs)
  (dict "apiGroups" (list "storage.k8s.io") "resources" (list "storageclasses") "verbs" $verbs)
  | toYaml -}}
{{- end -}}

{{- define "rootnote.subject" -}}
- kind: ServiceAccount
  name: {{ include "rootnote.serviceAccount" . }}
  namespace: {{ .Release.Namespace }}
{{- end -}}
