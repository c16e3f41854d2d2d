import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

/** Paths of the programs of a control plane. */
export interface KubePrograms {
  readonly etcd: string;
  readonly apiServer: string;
  readonly controllerManager: string;
  readonly scheduler: string;
}

/** File names, the first that is there; etcd built with `go build` is called after its package. */
const NAMES: Readonly<Record<keyof KubePrograms, readonly string[]>> = {
  etcd: ['etcd', 'server'],
  apiServer: ['kube-apiserver'],
  controllerManager: ['kube-controller-manager'],
  scheduler: ['kube-scheduler'],
};

export const HOW_TO_GET_THEM =
  'set ROOTNOTE_KUBE_BIN to a folder with etcd, kube-apiserver, kube-controller-manager and kube-scheduler; scripts/build-kubernetes.sh FOLDER makes one';

/**
 * The programs, all from the first place that has them: `ROOTNOTE_KUBE_BIN`, PATH, `KUBEBUILDER_ASSETS`. The last mostly holds etcd and the
 * API server only, and without controllers nothing rolls out. A text says what is missing.
 */
export function findKubePrograms(env: Readonly<Record<string, string | undefined>>): KubePrograms | string {
  const named = env['ROOTNOTE_KUBE_BIN'];
  const assets = env['KUBEBUILDER_ASSETS'];
  const places: readonly (readonly string[])[] = [
    ...(named ? [[named]] : []),
    (env['PATH'] ?? '').split(delimiter),
    ...(assets ? [[assets]] : []),
  ];
  for (const folders of places) {
    const found = Object.fromEntries(
      Object.entries(NAMES).map(([program, names]) => [program, findIn(folders, program, names)]),
    ) as Record<keyof KubePrograms, string | undefined>;
    if (Object.values(found).every(Boolean)) return found as KubePrograms;
  }
  const partly = assets && findIn([assets], 'apiServer', NAMES.apiServer);
  return partly
    ? `KUBEBUILDER_ASSETS holds an API server without controllers and scheduler; ${HOW_TO_GET_THEM}`
    : `no Kubernetes control plane; ${HOW_TO_GET_THEM}`;
}

/** `server` is a name that anything on PATH may have: only beside an API server is it etcd. */
function findIn(folders: readonly string[], program: string, names: readonly string[]): string | undefined {
  return folders
    .flatMap((folder) =>
      names
        .filter((name) => program !== 'etcd' || name === 'etcd' || isProgram(join(folder, 'kube-apiserver')))
        .map((name) => join(folder, name)),
    )
    .find(isProgram);
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
