import { parseJsonBody } from '../json-body.ts';
import type { Source } from '../source.ts';
import { createSnsSource } from '../sns/index.ts';
import { applyMappings, remarksOn } from './apply-mapping.ts';
import { senderAuth } from './auth.ts';
import type { SenderSettings } from './settings.ts';

export interface SenderSurroundings {
  readonly now: () => number;
  /** The text at an address of SNS. */
  readonly fetchText: (url: string) => Promise<string>;
}

/** A sender of SOURCES_FILE. */
export function createGenericSource(
  { name, mappings, sender }: SenderSettings,
  { now, fetchText }: SenderSurroundings,
): Source {
  if (sender.kind === 'sns') return createSnsSource({ name, mappings, topics: sender.topics, now, fetchText });
  return {
    name,
    auth: senderAuth(name, sender.auth),
    read: ({ bytes, headers }) =>
      applyMappings(mappings, { body: parseJsonBody(bytes), headers }, { source: name, now }),
    remarks: ({ bytes, headers }) => remarksOn(mappings, { body: parseJsonBody(bytes), headers }),
  };
}
