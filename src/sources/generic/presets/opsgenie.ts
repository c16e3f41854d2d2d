/** Opsgenie's webhook integration (support.atlassian.com, "Integrate Opsgenie with webhook"). */
export const OPSGENIE = {
  title: 'alert.message',
  status: {
    path: 'action',
    map: { Create: 'firing', Close: 'resolved', Delete: 'resolved', Acknowledge: 'acknowledged' },
    otherwise: 'ignored',
  },
  severity: 'alert.priority',
  dedup_key: 'alert.alertId',
  started_at: 'alert.createdAt',
  changed_at: 'alert.updatedAt',
  acknowledged_by: ['alert.username', 'alert.userId'],
  labels_from: ['alert.details', 'alert.tags'],
  labels: { service: ['$labels.service', 'alert.entity'], source: 'alert.source', alias: 'alert.alias' },
  description: 'alert.description',
};
