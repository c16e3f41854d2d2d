import { httpRequest } from '../../platform/http-request.ts';
import { isPublicAddress } from '../../platform/public-address.ts';

const TIMEOUT_MS = 1500;
const MAX_BYTES = 65_536;

/**
 * The text at an address of SNS. Only public addresses are connected to, and redirects are not followed. The deadline leaves room within the one
 * of a webhook. Rejects for anything but an answer of 200.
 */
export async function fetchPublicText(url: string): Promise<string> {
  const { status, body } = await httpRequest({
    url,
    timeoutMs: TIMEOUT_MS,
    maxBytes: MAX_BYTES,
    allowAddress: isPublicAddress,
  });
  if (status !== 200) throw new Error(`${new URL(url).host} answered HTTP ${status}`);
  return body;
}
