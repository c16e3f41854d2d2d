import { verify, type KeyObject } from 'node:crypto';
import { applyMappings } from '../generic/apply-mapping.ts';
import type { Mappings } from '../generic/mapping.ts';
import { PayloadError, type InboundRequest, type Reading, type Source } from '../source.ts';
import { isSnsUrl } from './amazon-url.ts';
import { createSigningKeys } from './certificates.ts';
import { readSnsMessage, signedText, type SnsMessage } from './envelope.ts';

export interface SnsSourceOptions {
  readonly name: string;
  /** Of the message, with `Message` read as JSON where it is. */
  readonly mappings: Mappings;
  /** ARNs that are subscribed to; nothing else is listened to or confirmed. */
  readonly topics: readonly string[];
  readonly now: () => number;
  /** The text at an address of SNS. Rejects when it cannot be had; bounded in time and size. */
  readonly fetchText: (url: string) => Promise<string>;
}

/** AWS advises to refuse what is older; it delivers for no longer. What is sent again within it is known by its MessageId. */
const OLDEST_MS = 3_600_000;

/** Versions of SNS signatures, and their hashes. */
const DIGESTS: ReadonlyMap<string, string> = new Map([
  ['1', 'RSA-SHA1'],
  ['2', 'RSA-SHA256'],
]);

/** Alerts that come through a topic of Amazon SNS, such as CloudWatch alarms. */
export function createSnsSource(options: SnsSourceOptions): Source {
  const { name, topics } = options;
  const keyAt = createSigningKeys(options.fetchText, options.now);
  return {
    name,
    auth: {
      kind: 'signature',
      how: `signature of SNS, ${topics.length === 1 ? 'one topic' : `${topics.length} topics`}, not older than an hour`,
      accepts: (request) => isGenuine(request, options, keyAt),
    },
    read: ({ bytes, headers }): Reading => {
      const message = readSnsMessage(bytes);
      switch (message.Type) {
        case 'SubscriptionConfirmation':
          return confirm(message, options);
        case 'UnsubscribeConfirmation':
          return { kind: 'nothing', why: 'the topic is no longer subscribed to' };
        case 'Notification': {
          const body = { ...message, Message: parseInner(message.Message) };
          return numbered(
            applyMappings(options.mappings, { body, headers }, { source: name, now: options.now }),
            message,
          );
        }
      }
    },
  };
}

/** Who is not subscribed to, or late, is refused before anything is fetched on its behalf. */
async function isGenuine(
  { bytes }: InboundRequest,
  { topics, now }: SnsSourceOptions,
  keyAt: (url: string) => Promise<KeyObject>,
): Promise<boolean> {
  const message = tryToRead(bytes);
  const digest = message && DIGESTS.get(message.SignatureVersion);
  if (!message || !digest || !topics.includes(message.TopicArn) || !isSnsUrl(message.SigningCertURL)) return false;
  const ageMs = now() - Date.parse(message.Timestamp);
  if (!(ageMs <= OLDEST_MS)) return false;
  const key = await keyAt(message.SigningCertURL);
  // With a key of another kind the digest would be an error instead of a mismatch.
  if (key.asymmetricKeyType !== 'rsa') return false;
  return verify(digest, Buffer.from(signedText(message)), key, Buffer.from(message.Signature, 'base64'));
}

function tryToRead(bytes: Buffer): SnsMessage | undefined {
  try {
    return readSnsMessage(bytes);
  } catch (error) {
    if (error instanceof PayloadError) return undefined;
    throw error;
  }
}

/** Visits the URL that SNS gives: that is how it learns that its messages are wanted here. */
function confirm({ TopicArn, SubscribeURL = '' }: SnsMessage, { topics, fetchText }: SnsSourceOptions): Reading {
  if (!topics.includes(TopicArn))
    return { kind: 'nothing', why: 'a topic that is not configured wants to be confirmed' };
  if (!isSnsUrl(SubscribeURL)) throw new PayloadError('SubscribeURL is no https address of SNS', 422);
  return {
    kind: 'handshake',
    run: async () => {
      await fetchText(SubscribeURL);
      return `the subscription to ${TopicArn} is confirmed`;
    },
  };
}

function parseInner(text: string): unknown {
  try {
    const inner: unknown = JSON.parse(text);
    return typeof inner === 'object' && inner !== null ? inner : text;
  } catch {
    return text;
  }
}

function numbered(reading: Reading, { MessageId }: SnsMessage): Reading {
  if (reading.kind !== 'notification') return reading;
  return { ...reading, notification: { ...reading.notification, deliveryId: MessageId } };
}
