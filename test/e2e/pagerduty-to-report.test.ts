import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Report } from '../../src/domain/report.ts';
import { describeIf } from '../support/describe-if.ts';
import { eventually } from '../support/eventually.ts';
import { startPagerDutyAlerts, type PagerDutyAlertsServer } from '../support/pagerduty/alerts.ts';
import { REDIS } from '../support/programs.ts';
import { admittedIn, type RootnoteProcess, startRootnote, stopRootnotes } from '../support/rootnote-process.ts';
import { fixture, PAGERDUTY_SECRETS, SENDERS } from '../support/webhook-senders.ts';

const suite = await describeIf(REDIS);

suite('from a PagerDuty incident to its report', () => {
  let api: PagerDutyAlertsServer;
  let rootnote: RootnoteProcess;

  beforeEach(async () => {
    api = await startPagerDutyAlerts('Q2SHOPCART77');
    api.alerts = [{ id: 'PA1', severity: 'critical', body: { details: { service: 'cart-api', zone: 'eu-1' } } }];
    rootnote = await startRootnote('all', {
      LOG_LEVEL: 'debug',
      PAGERDUTY_WEBHOOK_SECRETS: PAGERDUTY_SECRETS.join(','),
      PAGERDUTY_API_URL: api.url,
      PAGERDUTY_API_TOKEN: api.token,
      PAGERDUTY_NOTES: 'false',
    });
  });
  afterEach(async () => {
    await stopRootnotes();
    await api.close();
  });

  const send = async (name: string, delivery: string) => {
    const sender = SENDERS.find(({ source }) => source === 'pagerduty');
    const request = sender?.sign(fixture(`pagerduty/${name}.json`), { 'x-webhook-id': delivery });
    const response = await fetch(`${rootnote.url}/webhooks/pagerduty`, {
      method: 'POST',
      headers: request?.headers as Record<string, string>,
      body: request?.bytes ?? '',
    });
    const { id } = (await response.json()) as { id?: string };
    const decided = () => admittedIn(rootnote.output()).find(({ arrivalId }) => arrivalId === id);
    return { status: response.status, decision: (await eventually('it is decided', decided))?.decision };
  };
  const reports = async () => {
    const folder = join(rootnote.folder, 'reports');
    const names = await readdir(folder).catch(() => []);
    return names.filter((name) => /^rep_[^.]*\.json$/.test(name)).map((name) => join(folder, name));
  };

  test('one report of the incident, its retries and its resolution, about what its alerts say', async () => {
    expect(await send('triggered', 'w-1')).toEqual({ status: 202, decision: 'new' });
    expect(await send('triggered', 'w-1')).toEqual({ status: 202, decision: 'repeat' });
    const [file = ''] = await eventually('its report is there', reports, (found) => found.length > 0);
    const report = Report.parse(JSON.parse(await readFile(file, 'utf8')));
    expect(report.incident).toMatchObject({
      source: 'pagerduty',
      title: 'Cart latency above 2 s',
      service: 'cart-api',
      severity: 'critical',
      labels: { zone: 'eu-1', pagerduty_service: 'cart', pagerduty_incident: 'Q2SHOPCART77' },
      link: 'https://acme.pagerduty.example/incidents/Q2SHOPCART77',
    });
    expect(report.gaps.join()).not.toContain('pagerduty: ');
    expect(await send('resolved', 'w-2')).toEqual({ status: 202, decision: 'resolved' });
    expect(await rootnote.terminate()).toBe(0);
    expect(await reports()).toHaveLength(1);
    for (const secret of [...PAGERDUTY_SECRETS, api.token]) expect(rootnote.output()).not.toContain(secret);
  });
});
