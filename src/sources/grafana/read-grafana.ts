import { z } from 'zod';
import type { Alert, Notification } from '../../domain/alert.ts';
import type { Labels } from '../../domain/labels.ts';
import { parseNotification } from '../alertmanager/index.ts';
import { PayloadError } from '../source.ts';

const Text = z.string().nullish().catch(undefined);
const Figures = z.record(z.string(), z.unknown()).nullish().catch(undefined);

/** What Grafana says of an alert beyond Alertmanager's format. Any of it may be missing. */
const Extras = z.object({
  dashboardURL: Text,
  panelURL: Text,
  silenceURL: Text,
  imageURL: Text,
  ruleUID: Text,
  valueString: Text,
  values: Figures,
});
type Extras = z.infer<typeof Extras>;
const Body = z.object({ alerts: z.array(Extras.catch({})) });

/** Names of the alerts that Grafana raises when a rule cannot be judged; the rule's own name is in the label `rulename`. */
const UNJUDGED: Readonly<Record<string, string>> = { DatasourceNoData: 'no data', DatasourceError: 'error' };

/**
 * Reads a body of Grafana's webhook (grafana.com, "Configure webhook notifications", body): Alertmanager's format and more. Its links and
 * figures become annotations. Throws `PayloadError`.
 */
export function readGrafana(body: unknown): Notification {
  const notification = parse(body);
  const extras = Body.safeParse(body).data?.alerts ?? [];
  const alerts = notification.alerts.map((alert, index) => withExtras(alert, extras[index] ?? {}));
  return {
    ...notification,
    source: 'grafana',
    // `externalURL` is only Grafana's own address.
    externalUrl: pageOf(notification, extras[0]) ?? notification.externalUrl,
    alerts,
  };
}

function parse(body: unknown): Notification {
  try {
    return parseNotification(body);
  } catch (error) {
    if (!(error instanceof PayloadError)) throw error;
    const message = error.message.replace(/^not an Alertmanager notification(?: \([^)]*\))?/, 'not a Grafana alert');
    throw new PayloadError(message, error.status);
  }
}

function pageOf({ alerts }: Notification, first: Extras | undefined): string | undefined {
  return first?.panelURL || first?.dashboardURL || alerts[0]?.generatorUrl;
}

function withExtras(alert: Alert, extras: Extras): Alert {
  return {
    ...alert,
    labels: namedAfterRule(alert.labels),
    annotations: { ...annotationsOf(extras), ...alert.annotations },
  };
}

/** `High CPU (no data)` instead of `DatasourceNoData`, which says of no two alerts what they are about. The fingerprint stays the sender's. */
function namedAfterRule(labels: Labels): Labels {
  const { alertname = '', rulename } = labels;
  const state = Object.hasOwn(UNJUDGED, alertname) ? UNJUDGED[alertname] : undefined;
  if (state === undefined || !rulename) return labels;
  return { ...labels, alertname: `${rulename} (${state})`, grafana_alertname: alertname };
}

function annotationsOf(extras: Extras): Labels {
  const figures = Object.entries(extras.values ?? {})
    .filter(([, value]) => typeof value === 'number' || typeof value === 'string')
    .map(([name, value]) => `${name}=${String(value)}`);
  const told = {
    dashboard_url: extras.dashboardURL,
    panel_url: extras.panelURL,
    silence_url: extras.silenceURL,
    image_url: extras.imageURL,
    rule_uid: extras.ruleUID,
    values: figures.join(', '),
    value_string: extras.valueString,
  };
  return Object.fromEntries(Object.entries(told).filter((entry): entry is [string, string] => Boolean(entry[1])));
}
