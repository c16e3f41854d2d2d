import type { Incident } from '../../../../src/domain/incident.ts';
import { NO_TELEMETRY, type MetricSeries, type Telemetry } from '../../../../src/domain/telemetry.ts';
import { firingIncident } from '../../../support/incidents.ts';

/** A small invented shop: `web` calls `orders` and `search`, `orders` calls `payments` and `stock`. */
export const TRIGGER_MS = Date.UTC(2026, 9, 6, 14, 32);
export const MINUTE_MS = 60_000;

export const SHOP = {
  services: ['web', 'orders', 'search', 'payments', 'stock'],
  edges: [
    { from: 'web', to: 'orders' },
    { from: 'web', to: 'search' },
    { from: 'orders', to: 'payments' },
    { from: 'orders', to: 'stock' },
  ],
};

export function incident(over: Partial<Incident> = {}): Incident {
  return firingIncident({
    title: 'SlowCheckout',
    service: 'web',
    startsAtMs: TRIGGER_MS,
    labels: { alertname: 'SlowCheckout', service: 'web' },
    annotations: { summary: 'latency of web is above its objective' },
    ...over,
  });
}

export function telemetry(over: Partial<Telemetry> = {}): Telemetry {
  return { ...NO_TELEMETRY, topology: SHOP, ...over };
}

/** Sixty-three one-minute samples, an hour before the trigger to two minutes after it. `value` sees minutes relative to the trigger. */
export function series(
  service: string,
  metric: string,
  value: (minute: number) => number,
  over: Partial<MetricSeries> = {},
): MetricSeries {
  const minutes = Array.from({ length: 63 }, (_, i) => i - 60);
  return {
    service,
    metric,
    timesMs: Float64Array.from(minutes, (minute) => TRIGGER_MS + minute * MINUTE_MS),
    values: Float64Array.from(minutes, value),
    ...over,
  };
}

/** A usual level with a small regular ripple, and another level from `fromMinute` on. */
export const step =
  (usual: number, shifted: number, fromMinute = -2) =>
  (minute: number): number =>
    (minute >= fromMinute ? shifted : usual) * (1 + 0.02 * (((minute % 5) + 5) % 5));
