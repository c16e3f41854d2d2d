import { afterEach, expect } from '@jest/globals';
import type { TelemetryProvider } from '../../../src/domain/provider.ts';
import { createKubernetesProvider, type KubernetesOptions } from '../../../src/providers/kubernetes/index.ts';
import {
  accessTo,
  startKubernetesImitation,
  type AskedOfKubernetes,
  type ImitationOptions,
  type KubernetesImitation,
} from './api-server.ts';

/** A provider of an imitation, with limits that no test meets by chance, and without logs. */
export function kubernetesProvider(
  imitation: Pick<KubernetesImitation, 'url'>,
  options: Partial<KubernetesOptions> = {},
): TelemetryProvider {
  return createKubernetesProvider({
    access: accessTo(imitation),
    namespaces: [],
    timeoutMs: 20_000,
    maxResponseBytes: 30_000_000,
    maxObjects: 10_000,
    logs: { which: 'none', mostPods: 10, mostLines: 100 },
    ...options,
  });
}

export interface KubernetesOfTests {
  start(options?: ImitationOptions, more?: Partial<KubernetesOptions>): Promise<TelemetryProvider>;
  /** What the imitation started last was asked. */
  asked(): readonly AskedOfKubernetes[];
}

/** For the top of a test file. After each test the imitations that it started are stopped; none may have been asked for what a careful, read-only client never asks. */
export function useKubernetes(): KubernetesOfTests {
  const imitations: KubernetesImitation[] = [];
  afterEach(async () => {
    const own = imitations.splice(0);
    await Promise.all(own.map((imitation) => imitation.stop()));
    expect(own.flatMap(({ violations }) => violations)).toEqual([]);
  });
  return {
    start: async (options, more) => {
      const imitation = await startKubernetesImitation(options);
      imitations.push(imitation);
      return kubernetesProvider(imitation, more);
    },
    asked: () => imitations.at(-1)?.asked ?? [],
  };
}
