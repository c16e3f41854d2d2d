import type { Skeleton } from './skeleton.ts';
import { WILDCARD } from './character-class.ts';

const MAX_SEGMENTS = 12;
const VERSION = /^v\d{1,2}$/;
const VALUE_SEGMENT = /[\d%@=,;*]|^.{25,}$/;
const ASSET = /\.(?:js|css|png|jpe?g|gif|svg|ico|woff2?|ttf|map|webp|pdf|txt|mp4|html?)$/;

/**
 * Writes `GET /orders /<*> status=5xx`: method, route and class of the status. Every segment is a token of its own, so that the
 * merge of variable positions finds slugs; the status is written as an assignment because it must never vary. Query strings, segments with digits and asset names are values.
 */
export function writeRequest(out: Skeleton, method: string, path: string, status: string): void {
  out.appendText(method.toUpperCase());
  const route = path.replace(/^[a-z]+:\/\/[^/]*/i, '').replace(/[?#].*$/s, '');
  const segments = route
    .split('/')
    .filter((segment) => segment !== '')
    .slice(0, MAX_SEGMENTS);
  if (segments.length === 0) out.appendText(' /');
  segments.forEach((segment, depth) => {
    const isAsset = depth > 0 && ASSET.test(segment);
    const isValue = !VERSION.test(segment) && (VALUE_SEGMENT.test(segment) || isAsset);
    out.appendText(` /${isValue ? WILDCARD : segment}`);
  });
  if (/^[1-5]\d\d$/.test(status)) out.appendText(` status=${status[0]}xx`);
}
