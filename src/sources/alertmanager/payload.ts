import { z } from 'zod';

/**
 * Alertmanager's webhook body, version "4" (prometheus.io/docs/alerting/latest/configuration, webhook_config), read permissively:
 * older and newer versions and other products send the same shape with fields missing or added. Only what carries the identity of
 * an alert is required.
 */
const AnyMap = z.record(z.string(), z.unknown()).nullish().catch(undefined);
const AnyText = z.union([z.string(), z.number()]).nullish().catch(undefined);

export const PayloadAlert = z.object({
  status: AnyText,
  labels: AnyMap,
  annotations: AnyMap,
  startsAt: z.string(),
  endsAt: AnyText,
  generatorURL: AnyText,
  fingerprint: AnyText,
});
export type PayloadAlert = z.infer<typeof PayloadAlert>;

export const Payload = z.object({
  version: AnyText,
  receiver: AnyText,
  status: AnyText,
  groupKey: AnyText,
  groupLabels: AnyMap,
  commonLabels: AnyMap,
  commonAnnotations: AnyMap,
  externalURL: AnyText,
  truncatedAlerts: z.number().int().min(0).nullish().catch(undefined),
  alerts: z.array(PayloadAlert),
});
export type Payload = z.infer<typeof Payload>;
