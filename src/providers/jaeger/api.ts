import type { z } from 'zod';
import type { HttpAnswer } from '../../platform/http-request.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import type { BackendAccess } from '../backend/access.ts';
import { createBackend, parseJson, type Backend, type BackendName } from '../backend/ask-backend.ts';
import { Envelope } from './answers.ts';

export const JAEGER = {
  provider: 'jaeger',
  prefix: 'JAEGER',
  api: 'the HTTP API of Jaeger',
  urlHint: 'it ends before /api/traces',
  items: 'traces',
} as const satisfies BackendName;

export interface JaegerAnswer<T> {
  /** Undefined when there is nothing of this kind (HTTP 404 with Jaeger's own error). */
  readonly data: T | undefined;
  readonly notes: readonly string[];
  readonly characters: number;
}

type Params = Readonly<Record<string, string | number>>;

/** The answer under `/api`; throws `BackendError`, with `question` in words. */
export type AskJaeger = <T>(
  schema: z.ZodType<T>,
  path: string,
  params: Params,
  question: string,
  signal: AbortSignal,
) => Promise<JaegerAnswer<T>>;

/**
 * Jaeger's `/api` is what its own pages read: there in version 1 and 2 alike, and in what imitates Jaeger. The newer `/api/v3` cannot search by tag, so
 * not for failed traces.
 */
export function createAskJaeger(access: BackendAccess): AskJaeger {
  const backend = createBackend(JAEGER, access);
  return async (schema, path, params, question, signal) => {
    const query = new URLSearchParams(
      Object.entries(params).map(([name, value]): [string, string] => [name, String(value)]),
    );
    const search = query.toString();
    const answer = await backend.send({ path: `${path}${search && `?${search}`}` }, question, signal);
    const envelope = openEnvelope(backend, answer, question);
    const notes = (envelope.errors ?? []).slice(0, 5).map(({ msg }) => clip(oneLine(msg), 300));
    const characters = answer.body.length;
    if (answer.status === 404) return { data: undefined, notes: [], characters };
    const data = schema.safeParse(envelope.data);
    if (data.success) return { data: data.data, notes, characters };
    const problem = 'The answer has an unexpected shape.';
    throw backend.error({ problem, remedy: 'Check what JAEGER_URL leads to.', answered: true }, question);
  };
}

function openEnvelope(backend: Backend, answer: HttpAnswer, question: string): Envelope {
  backend.refuse(answer, question);
  const envelope = Envelope.safeParse(parseJson(answer.body));
  // An answer of Jaeger has data or errors; whatever JSON has neither is another product's.
  if (!envelope.success || (envelope.data.data === undefined && !envelope.data.errors))
    throw backend.foreign(answer, question);
  if (answer.status < 300 || answer.status === 404) return envelope.data;
  const { status } = answer;
  const reason = clip(oneLine(envelope.data.errors?.[0]?.msg ?? 'no reason given'), 400);
  const remedy = status === 429 ? 'It limits requests: lower JAEGER_MAX_TRACES.' : 'Ask for less, or look at its log.';
  throw backend.error({ problem: `Jaeger: ${reason} (HTTP ${status}).`, remedy, answered: true }, question);
}
