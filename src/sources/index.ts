import { createAuthorize } from '../platform/credentials.ts';
import { createAlertmanagerSource } from './alertmanager/index.ts';
import type { Source, SourceAuth } from './source.ts';

/** The settings sources are made from; `Config` satisfies it. */
export interface SourceSettings {
  readonly ALERTMANAGER_BEARER_TOKENS?: readonly string[] | undefined;
  readonly ALERTMANAGER_BASIC_AUTH?: string | undefined;
}

/** Every inbound source that is configured. Names are unique. */
export function createSources(settings: SourceSettings): readonly Source[] {
  return [createAlertmanagerSource(alertmanagerAuth(settings))];
}

function alertmanagerAuth(settings: SourceSettings): SourceAuth {
  const { ALERTMANAGER_BEARER_TOKENS: bearerTokens = [], ALERTMANAGER_BASIC_AUTH: basicAuth } = settings;
  if (bearerTokens.length === 0 && basicAuth === undefined) return { kind: 'open' };
  const authorize = createAuthorize({ bearerTokens, basicAuth });
  return { kind: 'headers', accepts: ({ authorization }) => authorize(authorization) };
}
