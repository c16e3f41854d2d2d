import { isLoopbackHost } from '../platform/loopback.ts';
import { createAlertmanagerSource } from './alertmanager/index.ts';
import { authorizationAuth } from './authorization.ts';
import { createGenericSource, type SenderSurroundings } from './generic/index.ts';
import type { SenderSettings } from './generic/settings.ts';
import { createGrafanaSource } from './grafana/index.ts';
import { createPagerDutySource } from './pagerduty/index.ts';
import { fetchPublicText } from './sns/fetch-text.ts';
import type { Source } from './source.ts';

/** The settings sources are made from; `Config` satisfies it. */
export interface SourceSettings {
  readonly HOST?: string | undefined;
  readonly ALLOW_UNAUTHENTICATED?: boolean | undefined;
  readonly ALERTMANAGER_BEARER_TOKENS?: readonly string[] | undefined;
  readonly ALERTMANAGER_BASIC_AUTH?: string | undefined;
  readonly PAGERDUTY_WEBHOOK_SECRETS?: readonly string[] | undefined;
  readonly PAGERDUTY_REOPENED?: 'investigate' | 'ignore' | undefined;
  readonly PAGERDUTY_OWN_IDS?: readonly string[] | undefined;
  readonly GRAFANA_WEBHOOK_SECRET?: string | undefined;
  readonly GRAFANA_SIGNATURE_HEADER?: string | undefined;
  readonly GRAFANA_TIMESTAMP_HEADER?: string | undefined;
  readonly GRAFANA_BEARER_TOKENS?: readonly string[] | undefined;
  readonly GRAFANA_BASIC_AUTH?: string | undefined;
}

export const ALERTMANAGER_REMEDY = 'Set ALERTMANAGER_BEARER_TOKENS or ALERTMANAGER_BASIC_AUTH';

const SURROUNDINGS: SenderSurroundings = { now: Date.now, fetchText: fetchPublicText };

/** Every inbound source that is configured. Names are unique. `senders`: those of SOURCES_FILE. */
export function createSources(
  settings: SourceSettings,
  senders: readonly SenderSettings[] = [],
  surroundings: SenderSurroundings = SURROUNDINGS,
): readonly Source[] {
  const { now } = surroundings;
  const alertmanager = authorizationAuth(
    { bearerTokens: settings.ALERTMANAGER_BEARER_TOKENS, basicAuth: settings.ALERTMANAGER_BASIC_AUTH },
    ALERTMANAGER_REMEDY,
  );
  const isOpenAllowed = alertmanager.kind === 'open' && mayBeOpen(settings);
  return [
    createAlertmanagerSource(alertmanager),
    ...pagerDuty(settings, now),
    ...grafana(settings, isOpenAllowed, now),
    ...senders.map((sender) => createGenericSource(sender, surroundings)),
  ];
}

function pagerDuty(settings: SourceSettings, now: () => number): readonly Source[] {
  const { PAGERDUTY_WEBHOOK_SECRETS: secrets = [], PAGERDUTY_REOPENED, PAGERDUTY_OWN_IDS: ownIds = [] } = settings;
  if (secrets.length === 0) return [];
  return [createPagerDutySource({ secrets, investigateReopened: PAGERDUTY_REOPENED !== 'ignore', ownIds, now })];
}

/** Without credentials of its own it is there only where Alertmanager's webhook is open, too: a path that nobody asked for must not be the way in. */
function grafana(settings: SourceSettings, isOpenAllowed: boolean, now: () => number): readonly Source[] {
  const source = createGrafanaSource({
    secret: settings.GRAFANA_WEBHOOK_SECRET,
    signatureHeader: settings.GRAFANA_SIGNATURE_HEADER ?? 'X-Grafana-Alerting-Signature',
    timestampHeader: settings.GRAFANA_TIMESTAMP_HEADER,
    bearerTokens: settings.GRAFANA_BEARER_TOKENS,
    basicAuth: settings.GRAFANA_BASIC_AUTH,
    now,
  });
  return source.auth.kind !== 'open' || isOpenAllowed ? [source] : [];
}

function mayBeOpen({ HOST, ALLOW_UNAUTHENTICATED }: SourceSettings): boolean {
  return ALLOW_UNAUTHENTICATED === true || (HOST !== undefined && isLoopbackHost(HOST));
}
