import { z } from 'zod';
import { integer, list } from './kinds.ts';

export const kubernetes = {
  KUBERNETES_ENABLED: z
    .enum(['auto', 'true', 'false'])
    .default('auto')
    .describe(
      'Whether objects, events and logs of Kubernetes are read. auto: with KUBERNETES_KUBECONFIG, or in a pod with a service account token; not with RECORDING_DIR.',
    ),
  KUBERNETES_KUBECONFIG: z
    .string()
    .optional()
    .describe('Kubeconfig with a token or a client certificate. Unset: the service account of the own pod is used.'),
  KUBERNETES_CONTEXT: z.string().optional().describe('Context of the kubeconfig. Unset: its current-context.'),
  KUBERNETES_NAMESPACES: list
    .refine(
      (names) => names.every((name) => /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/.test(name)),
      'must be names of namespaces, comma separated',
    )
    .default([])
    .describe('Namespaces that may be looked at, comma separated. Empty: all that the identity may read.'),
  KUBERNETES_TIMEOUT_MS: integer(100, 300_000)
    .default(15_000)
    .describe('Deadline of one request to the Kubernetes API.'),
  KUBERNETES_MAX_RESPONSE_BYTES: integer(100_000, 1_000_000_000)
    .default(33_554_432)
    .describe('Most bytes read of one answer of the Kubernetes API, which is a page of up to 500 objects.'),
  KUBERNETES_MAX_OBJECTS: integer(100, 200_000)
    .default(10_000)
    .describe('Most objects, and most events, kept for one incident; of more, those that are not well come first.'),
  KUBERNETES_LOGS: z
    .enum(['auto', 'all', 'crashed', 'none'])
    .default('auto')
    .describe(
      'Whose container logs are read through the Kubernetes API. crashed: the last words of containers that ended. auto: crashed where a log server is configured (a line would be counted twice), else all.',
    ),
  KUBERNETES_LOG_PODS: integer(1, 500)
    .default(20)
    .describe('Pods whose logs are read for one incident: those that crashed first, then those of the service.'),
  KUBERNETES_LOG_LINES: integer(10, 50_000).default(2000).describe('Last lines read of the log of one container.'),
  KUBERNETES_SERVICE_ACCOUNT_DIR: z
    .string()
    .default('/var/run/secrets/kubernetes.io/serviceaccount')
    .describe("Folder with token, ca.crt and namespace of the own pod's service account."),
  KUBERNETES_SERVICE_HOST: z
    .string()
    .optional()
    .describe('Set by Kubernetes in every pod: address of its API. Not to be set by hand.'),
  KUBERNETES_SERVICE_PORT: integer(1, 65_535)
    .default(443)
    .describe('Set by Kubernetes in every pod: port of its API. Not to be set by hand.'),
} as const;
