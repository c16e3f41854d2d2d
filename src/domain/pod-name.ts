/** `<workload>-<replica set hash>-<5 characters>`: Kubernetes writes both parts without vowels; others mix in digits. */
export const REPLICA_SET_POD =
  /^(.+)-(?:[bcdfghjklmnpqrstvwxz2456789]{6,10}|(?=[a-z]*\d)[a-z0-9]{6,10})-(?=[a-z]*\d|[^aeiou]{5}$)[a-z0-9]{5}$/;

/** `<set>-<ordinal>`, `<daemon set>-<5 characters>`, `<replica set>`: a service may be named like that, so these need a known workload. */
const POD_SUFFIXES = [
  REPLICA_SET_POD,
  /^(.+)-\d{1,3}$/,
  /^(.+)-[bcdfghjklmnpqrstvwxz2456789]{5}$/,
  /^(.+)-[a-f0-9]{8,10}$/,
];

/** Workload name of a pod name; the name itself when it does not look like a pod's. */
export function withoutPodSuffix(name: string): string {
  for (const suffix of POD_SUFFIXES) {
    const match = suffix.exec(name);
    if (match?.[1]) return match[1];
  }
  return name;
}
