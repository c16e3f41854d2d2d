import type { CheckResult } from '../../domain/check-result.ts';
import type { DeliveryContent, DeliveryContext, DeliveryResult, Destination } from '../../domain/delivery.ts';
import { httpRequest } from '../../platform/http-request.ts';
import { classifyAnswer, classifyFailure } from '../classify.ts';
import { fingerprint } from '../fingerprint.ts';
import { section, type Message } from './blocks.ts';
import { headline, standing, verdictLine } from './parts.ts';
import { renderPost } from './render.ts';
import { heedPause, takeTurn } from './take-turn.ts';

const TIMEOUT_MS = 10_000;
const MAX_ANSWER_BYTES = 65_536;

/**
 * Reduced mode, with an incoming webhook: Slack answers `ok` and no message id, so there are no threads, edits and pictures; an update and a
 * resolved alert are short messages of their own, and a post of unknown outcome cannot be looked up: it is sent again.
 */
export function createIncomingWebhookDestination(url: string): Destination {
  return {
    name: 'slack-webhook',
    tells: ['report', 'update', 'resolved'],
    deliver: (content, context) => deliver(url, content, context),
    check: () => Promise.resolve(describe(url)),
  };
}

async function deliver(
  url: string,
  content: DeliveryContent,
  { marker, turns, signal }: DeliveryContext,
): Promise<DeliveryResult> {
  // The address is a secret.
  const place = fingerprint(url);
  const tooMany = await takeTurn(turns, place, signal);
  if (tooMany) return tooMany;
  const message = messageOf(content, marker);
  const result = await send(url, message, signal);
  await heedPause(turns, place, result);
  const blocksRefused =
    result.outcome === 'give-up' && /invalid_blocks|invalid_payload|msg_blocks_too_long/.test(result.reason);
  return blocksRefused ? send(url, { ...message, blocks: [section(message.text)] }, signal) : result;
}

/** Every message stands alone here: a whole report is posted once, what follows it is a line or two. */
function messageOf(content: DeliveryContent, marker: string): Message {
  const { root } = renderPost(content, 'in the stored report');
  if (content.kind === 'report') {
    const blocks = root.blocks.map((block, index) => (index === 0 ? { ...block, block_id: marker } : block));
    return { ...root, blocks };
  }
  const title = headline(content);
  if (content.kind === 'resolved') return { text: title, blocks: [section(title)] };
  return {
    text: root.text,
    blocks: [section(`*${title}*\n${standing(content) ?? ''}\n${verdictLine(content.report)}`)],
  };
}

async function send(url: string, message: object, signal: AbortSignal): Promise<DeliveryResult> {
  try {
    const answer = await httpRequest({
      url,
      method: 'POST',
      headers: { 'content-type': 'application/json; charset=utf-8' },
      body: JSON.stringify({ ...message, unfurl_links: false, unfurl_media: false }),
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_ANSWER_BYTES,
      signal,
    });
    const result = classifyAnswer(answer, Date.now());
    // The body names the error: `channel_is_archived`, `no_service`, `invalid_blocks`.
    const said = /^[a-z_]{2,60}$/.test(answer.body.trim()) ? `: ${answer.body.trim()}` : '';
    return result.outcome === 'ok' ? result : { ...result, reason: `${result.reason}${said}` };
  } catch (error) {
    return classifyFailure(error);
  }
}

/** An incoming webhook can only be tried by posting, so nothing is tried. */
function describe(url: string): CheckResult {
  const value = `${new URL(url).host}, not tried: an incoming webhook cannot be asked without posting`;
  return {
    name: 'slack-webhook',
    status: 'warn',
    value,
    remedy: 'set SLACK_BOT_TOKEN for threads, edits and a real check',
  };
}
