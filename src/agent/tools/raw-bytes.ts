import type { ToolData } from './tool.ts';

/** A time and a value, each a double. */
const POINT_BYTES = 16;

/** About how much a source gave: text in bytes of UTF-8, points of series as two numbers, records as their JSON. */
export function rawBytes(data: ToolData): number {
  switch (data.kind) {
    case 'series':
      return data.series.reduce((sum, { values, labels }) => sum + POINT_BYTES * values.length + jsonBytes(labels), 0);
    case 'logs':
      return jsonBytes(data.records);
    case 'events':
      return jsonBytes(data.events);
    case 'objects':
      return jsonBytes(data.objects);
    case 'changes':
      return jsonBytes(data.changes);
    case 'spans':
      return jsonBytes(data.spans) + jsonBytes(data.stats);
    case 'evidence':
      return jsonBytes(data.items);
    case 'text':
      return Buffer.byteLength(data.text);
    default:
      return data satisfies never;
  }
}

function jsonBytes(value: unknown): number {
  return value === undefined ? 0 : Buffer.byteLength(JSON.stringify(value));
}
