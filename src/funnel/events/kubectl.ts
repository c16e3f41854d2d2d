/** What the API accepts as a name (RFC 1123 subdomain). Anything else could be read by a shell as more than a name. */
const NAME = /^[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?$/;
const KIND = /^[A-Za-z]{2,40}$/;

/** The command that shows the object to a person; undefined when a name is not one that Kubernetes would accept. */
export function describeCommand(object: { kind: string; name: string; namespace: string }): string | undefined {
  const { kind, name, namespace } = object;
  if (!KIND.test(kind) || !NAME.test(name)) return undefined;
  if (!namespace) return `kubectl describe ${kind.toLowerCase()} ${name}`;
  if (!NAME.test(namespace)) return undefined;
  return `kubectl -n ${namespace} describe ${kind.toLowerCase()} ${name}`;
}
