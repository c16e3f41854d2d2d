/** Sentry's integration platform (docs.sentry.io, "Webhooks"). The header says what the body is. */
const RESOURCE = '$header.sentry-hook-resource';

const METRIC_ALERT = {
  when: { [RESOURCE]: ['metric_alert'] },
  title: ['data.description_title', 'data.metric_alert.title', 'data.metric_alert.alert_rule.name'],
  status: { path: 'action', map: { resolved: 'resolved' }, otherwise: 'firing' },
  severity: { path: 'action', map: { resolved: 'none' } },
  dedup_key: ['data.metric_alert.id', 'data.metric_alert.identifier'],
  started_at: 'data.metric_alert.date_started',
  changed_at: 'data.metric_alert.date_closed',
  labels: { service: 'data.metric_alert.projects[]', rule: 'data.metric_alert.alert_rule.name' },
  annotations: { query: 'data.metric_alert.alert_rule.query' },
  description: 'data.description_text',
  link: 'data.web_url',
};

/** Has no resolve; the resource `issue` brings it, under the same id. */
const EVENT_ALERT = {
  when: { [RESOURCE]: ['event_alert'] },
  title: ['data.event.title', 'data.event.message', 'data.triggered_rule'],
  severity: 'data.event.level',
  dedup_key: 'data.event.issue_id',
  changed_at: ['data.event.datetime', 'data.event.timestamp'],
  labels_from: ['data.event.tags'],
  labels: {
    service: ['$labels.service', 'data.event.project_slug', 'data.event.project_name', '$labels.server_name'],
    rule: 'data.triggered_rule',
    environment: ['data.event.environment', '$labels.environment'],
  },
  annotations: { culprit: 'data.event.culprit' },
  description: ['data.event.message', 'data.event.culprit'],
  link: ['data.event.web_url', 'data.event.url'],
};

const ISSUE = {
  when: { [RESOURCE]: ['issue'] },
  title: 'data.issue.title',
  status: {
    path: 'action',
    map: { created: 'firing', unresolved: 'firing', resolved: 'resolved' },
    otherwise: 'ignored',
  },
  severity: 'data.issue.level',
  dedup_key: 'data.issue.id',
  changed_at: ['data.issue.lastSeen', 'data.issue.firstSeen'],
  labels: { service: 'data.issue.project.slug', short_id: 'data.issue.shortId' },
  annotations: { culprit: 'data.issue.culprit' },
  description: ['data.issue.metadata.value', 'data.issue.culprit'],
  link: ['data.issue.web_url', 'data.issue.permalink'],
};

export const SENTRY = [
  METRIC_ALERT,
  EVENT_ALERT,
  ISSUE,
  { when: { [RESOURCE]: ['installation'] }, ignore: 'connection test: Sentry reaches this webhook' },
];
