/** What the API accepts as a name (RFC 1123 subdomain). Anything else could be read by a shell as more than a name. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
/** Kinds that every cluster has. Other orchestrators have events too, about processes, for example. */
const KINDS: ReadonlySet<string> = new Set(
  (
    'pod service endpoints endpointslice ingress networkpolicy configmap secret deployment replicaset statefulset daemonset job cronjob ' +
    'horizontalpodautoscaler poddisruptionbudget serviceaccount role rolebinding resourcequota limitrange lease namespace node ' +
    'persistentvolume persistentvolumeclaim storageclass'
  ).split(' '),
);

interface Named {
  readonly kind: string;
  readonly name: string;
  readonly namespace: string;
}

/** The command that shows the object to a person; undefined when Kubernetes has no such kind or would not accept the name. */
export function describeCommand(object: Named): string | undefined {
  return KINDS.has(object.kind.toLowerCase()) ? describeAnyKind(object) : undefined;
}

/** The same of an object that Kubernetes gave: its kind may be a resource that only some clusters have. */
export function describeAnyKind(object: Named): string | undefined {
  const { name, namespace } = object;
  const kind = object.kind.toLowerCase();
  if (!/^[a-z0-9]+$/.test(kind) || !NAME.test(name)) return undefined;
  if (!namespace) return `kubectl describe ${kind} ${name}`;
  if (!NAME.test(namespace)) return undefined;
  return `kubectl -n ${namespace} describe ${kind} ${name}`;
}
