import { describe } from '@jest/globals';
import { skipSuite } from '../describe-if.ts';
import { findKubePrograms, type KubePrograms } from './programs.ts';

/** `describe` for suites that need a control plane; without one the suite is skipped and its name says why. */
export function describeWithKubernetes(name: string, body: (programs: KubePrograms) => void): void {
  const programs = findKubePrograms(process.env);
  if (typeof programs === 'string') skipSuite(programs)(name, () => body({} as KubePrograms));
  else describe(name, () => body(programs));
}
