import { says, textOf, type ReceivedBody } from './messages-api/script.ts';

/** Ids of the evidence that the brief in a request shows for a service, in its order. */
export function idsShownFor(body: ReceivedBody, service: string): readonly string[] {
  const lines = textOf(body)
    .split('\n')
    .filter((line) => line.startsWith('[') && line.includes(service));
  return lines.flatMap((line) => /^\[([A-Z]\d+)\]/.exec(line)?.[1] ?? []);
}

/** The model's last word on the recording payments-pool: right, and on evidence that the brief shows. `extra`: further evidence ids, such as invented ones. */
export function paymentsReport(body: ReceivedBody, extra: readonly string[] = []) {
  return says(JSON.stringify(paymentsConclusion(idsShownFor(body, 'payments').slice(0, 3), extra)));
}

/** The same as a value. `evidence`: ids that the brief shows, the first of which carries the chain. */
export function paymentsConclusion(evidence: readonly string[], extra: readonly string[]) {
  return {
    status: 'determined',
    summary: 'The connection pool of payments is exhausted.',
    root_cause_service: 'payments',
    root_cause_type: 'connection_exhaustion',
    confidence: 0.8,
    confidence_reasons: ['pool and latency rise together'],
    evidence: [...evidence, ...extra],
    causal_chain: [{ service: 'payments', statement: 'Its pool is full.', evidence: evidence.slice(0, 1) }],
    alternatives: [],
    action_plan: [{ step: 'Raise the pool limit.', why: 'It is full.', risk: 'R2', needs_approval: true }],
  };
}
