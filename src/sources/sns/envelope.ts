import { z } from 'zod';
import { parseJsonBody } from '../json-body.ts';
import { PayloadError } from '../source.ts';

/** A message of Amazon SNS (docs.aws.amazon.com, "Parsing Amazon SNS message formats"). Its body is JSON, whatever its content type says. */
export const SnsMessage = z.object({
  Type: z.enum(['Notification', 'SubscriptionConfirmation', 'UnsubscribeConfirmation']),
  MessageId: z.string().min(1),
  TopicArn: z.string().min(1),
  Message: z.string(),
  Timestamp: z.string(),
  Subject: z.string().nullish(),
  Token: z.string().optional(),
  SubscribeURL: z.string().optional(),
  Signature: z.string(),
  SignatureVersion: z.string(),
  SigningCertURL: z.string(),
});
export type SnsMessage = z.infer<typeof SnsMessage>;

/** Throws `PayloadError`. */
export function readSnsMessage(bytes: Buffer): SnsMessage {
  const parsed = SnsMessage.safeParse(parseJsonBody(bytes));
  if (parsed.success) return parsed.data;
  const places = parsed.error.issues.slice(0, 3).map(({ path }) => path.join('.') || 'the body');
  throw new PayloadError(
    `not an SNS message: ${places.join(', ')} cannot be read (raw message delivery has to be off)`,
  );
}

const SIGNED = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
  UnsubscribeConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
} as const;

/** The text that is signed: name and value a line each, of the fields that are there ("Verifying the signatures of Amazon SNS messages"). */
export function signedText(message: SnsMessage): string {
  const lines = SIGNED[message.Type].flatMap((name) => {
    const value = message[name];
    return value === undefined || value === null ? [] : [name, value];
  });
  return `${lines.join('\n')}\n`;
}
