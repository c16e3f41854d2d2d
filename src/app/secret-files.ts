import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Config } from '../config/schema.ts';
import { secretsOfKubeconfig } from '../providers/kubernetes/kubeconfig.ts';

/** Credentials that stand in files: kubeconfigs and private keys are read once, at the start, and tokens again and again. */
export interface SecretFiles {
  readonly secrets: readonly string[];
  readonly tokenFiles: readonly string[];
}

/** For redaction, which goes on where a file cannot be read: whoever uses it tells that. */
export function secretFilesOf(config: Config): SecretFiles {
  const files = [...new Set([config.KUBERNETES_KUBECONFIG, config.COMMANDS_KUBECONFIG])];
  const kubeconfigs = files.flatMap((file) => (file === undefined ? [] : secretsOfKubeconfig(file)));
  const key = config.REDIS_KEY_FILE === undefined ? '' : readTrimmed(config.REDIS_KEY_FILE);
  return {
    secrets: [...kubeconfigs.flatMap(({ secrets }) => secrets), key],
    tokenFiles: [
      join(config.KUBERNETES_SERVICE_ACCOUNT_DIR, 'token'),
      ...kubeconfigs.flatMap(({ tokenFiles }) => tokenFiles),
    ],
  };
}

/** Empty when it cannot be read. */
export function readTrimmed(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}
