import type { CheckResult } from '../../domain/check-result.ts';
import type { DeliveryContext, DeliveryResult, Destination } from '../../domain/delivery.ts';
import { httpRequest } from '../../platform/http-request.ts';
import { classifyAnswer, classifyFailure } from '../classify.ts';
import { outlineOf } from '../report-outline.ts';
import { stormOutline } from '../storm-outline.ts';
import { cardOf, type CardMessage } from './card.ts';

const TIMEOUT_MS = 15_000;
const MAX_ANSWER_BYTES = 65_536;
/** Connectors of Office 365 no longer exist. */
const RETIRED_HOST = /(?:^|\.)(?:webhook\.office\.com|outlook\.office\.com|outlook\.office365\.com)$/;

export interface TeamsOptions {
  /** Of a Power Automate workflow “when a Teams webhook request is received”. It is the credential. */
  readonly url: string;
}

/**
 * A card for each content, by a Power Automate workflow. 202 means that the workflow took it, not that it was posted; no id comes back, so there
 * are no threads and no edits, and a post of unknown outcome cannot be looked up: it is sent again, since twice is better than not at all.
 */
export function createTeamsDestination({ url }: TeamsOptions): Destination {
  return {
    name: 'teams',
    tells: ['report', 'update', 'resolved'],
    deliver: async (content, context) => {
      const outline = outlineOf(content, context.handle?.['toldAt']);
      const result = await send(url, cardOf(outline, context.marker), context);
      return result.outcome === 'ok' ? { outcome: 'ok', handle: { toldAt: content.report.generatedAt } } : result;
    },
    deliverStorm: (storm, context) => {
      // Cards cannot be edited: one at the beginning and one at the end.
      const isToldAlready = context.handle !== undefined && !storm.isOver;
      if (isToldAlready) return Promise.resolve({ outcome: 'ok', handle: context.handle });
      return send(url, cardOf(stormOutline(storm), context.marker), context);
    },
    check: () => Promise.resolve(describe(url)),
  };
}

async function send(url: string, card: CardMessage, { marker, signal }: DeliveryContext): Promise<DeliveryResult> {
  try {
    const answer = await httpRequest({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8', 'user-agent': 'rootnote' },
      body: JSON.stringify(card),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      signal,
    });
    const result = classifyAnswer(answer, Date.now());
    if (result.outcome === 'ok') return { outcome: 'ok', handle: { marker } };
    if (result.outcome === 'retry') return result;
    const why = BY_STATUS[answer.status] ?? 'look at the run history of the workflow';
    return { ...result, reason: `${result.reason}: ${why}` };
  } catch (error) {
    return classifyFailure(error);
  }
}

const REPLACED = 'the workflow does not take the request: set TEAMS_WORKFLOW_URL to its present URL';
const BY_STATUS: Readonly<Record<number, string>> = {
  400: 'the workflow is turned off, or expects another body: it has to begin with “when a Teams webhook request is received”',
  401: REPLACED,
  403: REPLACED,
  404: 'the workflow is gone: make one, and set TEAMS_WORKFLOW_URL to its URL',
  410: 'the workflow is gone: make one, and set TEAMS_WORKFLOW_URL to its URL',
  413: 'Teams takes no card of this size',
};

/** A workflow can only be tried by posting, so nothing is tried. */
function describe(url: string): CheckResult {
  const name = 'teams';
  const { host, hostname } = new URL(url);
  if (RETIRED_HOST.test(hostname)) {
    const value = `${host} was an Office 365 connector; these were retired`;
    return {
      name,
      status: 'fail',
      value,
      remedy: 'make a Power Automate workflow and set TEAMS_WORKFLOW_URL to its URL',
    };
  }
  const value = `${host}, not tried: a workflow cannot be asked without posting`;
  return {
    name,
    status: 'warn',
    value,
    remedy: 'send a test alert, and look at the channel and the run history of the workflow',
  };
}
