// Run by `helm test`: is the receiver ready, and does it take a webhook? What is sent is the end of an alert that never fired:
// it is checked, stored and decided like any other, and nobody is told.
const { ROOTNOTE, ALERTMANAGER_BEARER_TOKENS, ALERTMANAGER_BASIC_AUTH } = process.env;

async function ask(path, options) {
  const response = await fetch(ROOTNOTE + path, { ...options, signal: AbortSignal.timeout(10_000) });
  const text = await response.text();
  console.log(`${path}: ${response.status} ${text}`);
  return response.status;
}

function credentials() {
  const token = ALERTMANAGER_BEARER_TOKENS?.split(',')[0]?.trim();
  if (token) return { authorization: `Bearer ${token}` };
  if (!ALERTMANAGER_BASIC_AUTH) return {};
  return { authorization: `Basic ${Buffer.from(ALERTMANAGER_BASIC_AUTH).toString('base64')}` };
}

const now = Date.now();
const labels = { alertname: 'RootnoteHelmTest', run: String(now) };
const alert = {
  status: 'resolved',
  labels,
  annotations: {},
  startsAt: new Date(now - 60_000).toISOString(),
  endsAt: new Date(now).toISOString(),
  generatorURL: '',
  fingerprint: now.toString(16).padStart(16, '0'),
};
const notification = {
  version: '4',
  groupKey: `{}:{alertname="RootnoteHelmTest", run="${now}"}`,
  truncatedAlerts: 0,
  status: 'resolved',
  receiver: 'helm-test',
  groupLabels: labels,
  commonLabels: labels,
  commonAnnotations: {},
  externalURL: '',
  alerts: [alert],
};

const ready = await ask('/readyz');
const taken = await ask('/webhooks/alertmanager', {
  method: 'POST',
  headers: { 'content-type': 'application/json', ...credentials() },
  body: JSON.stringify(notification),
});
if (taken === 401) console.log('ALERTMANAGER_BEARER_TOKENS or ALERTMANAGER_BASIC_AUTH is not what the receiver has.');
process.exitCode = ready === 200 && taken === 202 ? 0 : 1;
