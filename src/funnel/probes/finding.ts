import type { ProbeFinding } from '../../domain/probe-answer.ts';
import type { EvidenceDraft } from '../../domain/evidence.ts';
import type { Probe } from '../../domain/probe.ts';
import { duration } from '../../domain/relative-time.ts';
import type { RootCauseType } from '../../domain/root-cause-type.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import type { Circumstances } from './verdict.ts';

const LONGEST_NAME = 160;
const LONGEST_STATEMENT = 400;

/** What a judge saw at one object, before it is put into the words of the probe. */
export interface Sighting {
  readonly service: string | undefined;
  readonly object: string;
  readonly value: string;
  readonly limit: string;
  /** The pod or other part of it that shows it. */
  readonly instance?: string | undefined;
  /** What is so, without the object's name: `is 2.4 s, limit 1 s`. */
  readonly what: string;
  readonly weight: number;
  readonly sinceMs?: number | undefined;
  /** Of this object, where it says more than the probe does. */
  readonly type?: RootCauseType | undefined;
  readonly evidence: Pick<EvidenceDraft, 'kind' | 'atMs' | 'query' | 'link' | 'numbers'>;
}

/**
 * The finding of a probe. Its evidence says the message of the probe and then what was seen, so that every figure of the message stands in
 * the evidence.
 */
export function toFinding(probe: Probe, seen: Sighting, { nowMs, window }: Circumstances): ProbeFinding {
  const object = clip(oneLine(seen.object), LONGEST_NAME);
  const service = seen.service === undefined ? undefined : clip(oneLine(seen.service), LONGEST_NAME);
  const since = seen.sinceMs === undefined ? undefined : duration(nowMs - seen.sinceMs);
  const where = seen.instance === undefined ? object : `${object} (${oneLine(seen.instance)})`;
  const plain = `${where} ${seen.what}${since === undefined ? '' : `, for ${since}`}`;
  const words = {
    service: service ?? object,
    object,
    value: seen.value,
    limit: seen.limit,
    since: since ?? 'an unknown time',
    window,
  };
  const said = probe.message === undefined ? undefined : fill(probe.message, words);
  const statement = clip(oneLine(said === undefined ? plain : `${said} (${plain})`), LONGEST_STATEMENT);
  return {
    probe: probe.name,
    severity: probe.severity,
    type: probe.type ?? seen.type,
    service,
    object,
    value: clip(oneLine(seen.value), LONGEST_NAME),
    limit: seen.limit,
    sinceMs: seen.sinceMs,
    said: clip(oneLine(said ?? plain), LONGEST_STATEMENT),
    remedy: probe.remedy,
    weight: seen.weight,
    evidence: { ...seen.evidence, service, statement },
  };
}

/** One pass: what stands for a word is not filled in again. */
function fill(message: string, words: Readonly<Record<string, string>>): string {
  return message.replace(/\{(\w+)\}/g, (_, word: string) => words[word] ?? '');
}
