import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { writeTimeline } from '../../src/app/timeline-command.ts';
import { parseConfig } from '../../src/config/load-config.ts';
import { NO_USAGE } from '../../src/domain/session.ts';
import { reportId } from '../../src/investigate/write-report.ts';
import { silentLogger } from '../../src/platform/logger.ts';
import { openWorkerRedis } from '../../src/platform/redis.ts';
import { createReportStore } from '../../src/sessions/report-store.ts';
import { makeIncident, makeReport } from '../support/delivery-content.ts';
import { describeIf } from '../support/describe-if.ts';
import { REDIS } from '../support/programs.ts';
import { startTestRedis, type TestRedis } from '../support/redis.ts';

const suite = await describeIf(REDIS);

suite('rootnote reports show ID --timeline FILE', () => {
  let server: TestRedis;
  let folder: string;
  beforeAll(async () => {
    server = await startTestRedis();
    folder = await mkdtemp(join(tmpdir(), 'rn-timeline-'));
    const redis = openWorkerRedis(server.target, silentLogger());
    const incident = makeIncident({ id: 'inc_1' });
    const report = makeReport({ id: reportId('inc_1'), incident: { ...makeReport().incident, id: 'inc_1' } });
    const session = {
      id: 'ses_inc_1',
      incidentId: 'inc_1',
      startedAtMs: 1,
      finishedAtMs: 2,
      brief: '',
      entries: [],
      usage: NO_USAGE,
      terminationReason: 'done',
    };
    await createReportStore(redis, 'rootnote').saveFirst(report, session, incident);
    redis.disconnect();
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true });
  });
  let said: string[] = [];
  const write = (id: string) => {
    said = [];
    const file = join(folder, 'out.png');
    return writeTimeline(parseConfig({ REDIS_URL: server.url }), { id, file }, (line) => said.push(line));
  };

  test('writes the picture of the stored report, and says where', async () => {
    expect(await write('inc_1')).toBeUndefined();
    expect((await readFile(join(folder, 'out.png'))).subarray(1, 4).toString()).toBe('PNG');
    expect(said.at(-1)).toMatch(/^rootnote: the timeline of \S+ is in .*out\.png$/);
  });

  test('says when there is no such report', async () => {
    expect(await write('inc_2')).toContain('nothing is stored under inc_2');
  });
});
