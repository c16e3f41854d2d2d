/** Rootnote's own form, for senders that can be told what to send. */
export const PLAIN = {
  title: 'title',
  severity: 'severity',
  status: 'status',
  dedup_key: 'dedup_key',
  started_at: 'started_at',
  labels_from: ['labels'],
  description: 'description',
  links_from: ['links'],
  link: ['link', 'links[0].url'],
};
