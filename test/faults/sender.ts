import { setTimeout as sleep } from 'node:timers/promises';
import type { TestAlert } from './alerts.ts';

export interface Answer {
  /** Undefined: refused, reset or no answer in time. */
  readonly status: number | undefined;
  readonly ms: number;
}

/** What the sender knows of one alert. */
export interface Entry {
  readonly alert: TestAlert;
  readonly answers: Answer[];
  /** Answered with a 2xx: from now on it is the product's to report. */
  taken: boolean;
  /** Answered with a 4xx: Alertmanager would not send it again. */
  refused: boolean;
}

export interface Sender {
  /** One entry an alert, in the order of sending. */
  readonly ledger: readonly Entry[];
  /** Sends until it is taken in or refused. */
  send(alert: TestAlert): Promise<Entry>;
  /** Sends all, `writers` at a time, each `pauseMs` after its last one. */
  sendAll(alerts: readonly TestAlert[], writers: number, pauseMs?: number): Promise<void>;
  /** One request, whatever comes; nothing is noted but in what is returned. */
  ask(alert: TestAlert): Promise<Answer>;
  taken(): number;
  /** Requests so far. */
  requests(): number;
}

/** Longer than any answer may take, shorter than for ever. */
const REQUEST_LIMIT_MS = 30_000;
const FIRST_WAIT_MS = 50;
const LONGEST_WAIT_MS = 1000;

/**
 * Sends as Alertmanager does: again after 5xx and network errors with a doubling, jittered wait, never after a 4xx, and it ignores Retry-After. Its
 * waits are Alertmanager's divided by ten. `url` is asked for every request: the receiver may have moved.
 */
export function createSender(url: () => string, random: () => number): Sender {
  const ledger: Entry[] = [];
  let requests = 0;
  const ask: Sender['ask'] = async ({ body }) => {
    requests += 1;
    const beganMs = Date.now();
    try {
      const response = await fetch(`${url()}/webhooks/alertmanager`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body,
        signal: AbortSignal.timeout(REQUEST_LIMIT_MS),
      });
      await response.text();
      return { status: response.status, ms: Date.now() - beganMs };
    } catch {
      return { status: undefined, ms: Date.now() - beganMs };
    }
  };
  const send = async (alert: TestAlert): Promise<Entry> => {
    const entry: Entry = { alert, answers: [], taken: false, refused: false };
    ledger.push(entry);
    for (let attempt = 0; ; attempt++) {
      const answer = await ask(alert);
      entry.answers.push(answer);
      const { status = 500 } = answer;
      entry.taken = status < 300;
      entry.refused = status >= 300 && status < 500;
      if (entry.taken || entry.refused) return entry;
      await sleep(Math.min(FIRST_WAIT_MS * 2 ** attempt, LONGEST_WAIT_MS) * (0.5 + random()));
    }
  };
  return {
    ledger,
    requests: () => requests,
    ask,
    send,
    sendAll: async (alerts, writers, pauseMs = 0) => {
      const queue = [...alerts];
      const write = async () => {
        for (let next = queue.shift(); next; next = queue.shift()) {
          await send(next);
          if (pauseMs > 0) await sleep(pauseMs * random());
        }
      };
      await Promise.all(Array.from({ length: writers }, write));
    },
    taken: () => ledger.filter(({ taken }) => taken).length,
  };
}

/** The slowest answer with that status; 0 when there was none. */
export function slowest(ledger: readonly Entry[], status: number): number {
  return Math.max(
    0,
    ...ledger.flatMap(({ answers }) => answers.filter((a) => a.status === status).map(({ ms }) => ms)),
  );
}

export function answersWith(ledger: readonly Entry[], status: number | undefined): number {
  return ledger.flatMap(({ answers }) => answers).filter((answer) => answer.status === status).length;
}
