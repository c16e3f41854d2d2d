import { z } from 'zod';
import type { TimeWindow } from '../../domain/provider.ts';
import type { ToolContext } from './tool.ts';

const MINUTE_MS = 60_000;
const FARTHEST_MINUTES = 1440;

const minutes = z.number().min(-FARTHEST_MINUTES).max(FARTHEST_MINUTES).optional();

/** Models get absolute dates wrong, so a tool takes minutes and code computes the window. `defaultFrom` says where it starts unless asked. */
export function windowInputFrom(defaultFrom: string) {
  return {
    from_minutes: minutes.describe(
      `Start, in minutes relative to the alert; negative is before it. Default: ${defaultFrom}.`,
    ),
    to_minutes: minutes.describe('End, in minutes relative to the alert. Default: end of the brief.'),
  };
}

export const windowInput = windowInputFrom('start of the brief');

/**
 * The window asked for, within a day of the alert and not in the future; start and end are put in order. It starts with the brief, or
 * `defaultFromMinutes` relative to the alert.
 */
export function relativeWindow(
  input: { readonly from_minutes?: number | undefined; readonly to_minutes?: number | undefined },
  context: Pick<ToolContext, 'triggerMs' | 'window' | 'now'>,
  defaultFromMinutes?: number,
): TimeWindow {
  const at = (offset: number | undefined, otherwiseMs: number) =>
    offset === undefined ? otherwiseMs : context.triggerMs + offset * MINUTE_MS;
  const ends = [
    at(input.from_minutes ?? defaultFromMinutes, context.window.fromMs),
    at(input.to_minutes, context.window.toMs),
  ];
  const [fromMs, toMs] = ends.map((ms) => Math.min(ms, context.now())).sort((a, b) => a - b);
  return { fromMs: fromMs ?? 0, toMs: toMs ?? 0 };
}

/** `2026-11-29T10:00:00Z to 2026-11-29T11:00:00Z`. */
export function windowText(window: TimeWindow): string {
  return `${isoSeconds(window.fromMs)} to ${isoSeconds(window.toMs)}`;
}

export function isoSeconds(ms: number): string {
  return new Date(ms).toISOString().replace(/\.\d{3}Z$/, 'Z');
}
