/** The parts of Kubernetes itself that run as pods, by the name their pods begin with; the longest name that fits is meant. */
const COMPONENTS = [
  'kube-apiserver',
  'kube-controller-manager',
  'kube-scheduler',
  'etcd',
  'kube-proxy',
  'coredns',
  'kube-dns',
  'cloud-controller-manager',
] as const;

/** Without these a cluster does not place, run, find or connect pods; other pods of kube-system are add-ons. */
const VITAL: ReadonlySet<string> = new Set(COMPONENTS);
/** Drivers without which volumes are not made or mounted. */
const STORAGE_DRIVER = /(^|-)csi(-|$)/;
const NETWORK_PLUGIN = /flannel|calico|cilium|weave|kube-router|antrea|ovn|canal|kindnet|aws-node|azure-cni/;

/** `kube-scheduler` of `kube-scheduler-master-1`, by the pod's name or the labels that kubeadm sets; undefined for add-ons. */
export function systemComponent(podName: string, labels: Readonly<Record<string, string>>): string | undefined {
  const named = COMPONENTS.find((name) => podName === name || podName.startsWith(`${name}-`));
  return named ?? COMPONENTS.find((name) => labels['component'] === name);
}

/** True for what everything else in a cluster depends on. */
export function isVital(component: string): boolean {
  return VITAL.has(component) || isNetworkPlugin(component) || isStorageDriver(component);
}

export function isNetworkPlugin(component: string): boolean {
  return NETWORK_PLUGIN.test(component);
}

export function isStorageDriver(component: string): boolean {
  return STORAGE_DRIVER.test(component);
}
