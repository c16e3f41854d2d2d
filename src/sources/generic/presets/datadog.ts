/**
 * Datadog's Webhooks integration (docs.datadoghq.com, "Webhooks"). Its operator writes the body: this reads the template of docs/sources.md.
 * `cycle_key` stays the same from the trigger of a monitor to its recovery.
 */
export const DATADOG = {
  title: 'title',
  // Triggered, Re-Triggered, Warn, No Data, Renotify and whatever else there may be: firing.
  status: {
    path: 'transition',
    map: { Recovered: 'resolved', 'Warn Recovered': 'resolved', 'No Data Recovered': 'resolved' },
    otherwise: 'firing',
  },
  severity: ['priority', 'type'],
  dedup_key: ['cycle_key', 'aggreg_key', 'alert_id'],
  changed_at: 'date',
  labels_from: ['tags', 'scope'],
  labels: { host: ['hostname', '$labels.host'], monitor: 'alert_id' },
  annotations: { query: 'query' },
  description: 'text',
  link: 'link',
  missing: ['null', 'N/A'],
};
