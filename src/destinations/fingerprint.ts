import { createHash } from 'node:crypto';

/** 16 characters that tell, in a handle, whether what was posted is still what there is to post. */
export function fingerprint(told: unknown): string {
  return createHash('sha256').update(JSON.stringify(told)).digest('hex').slice(0, 16);
}
