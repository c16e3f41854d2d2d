import { afterEach, expect, test } from '@jest/globals';
import { checkTracing, openTracing } from '../../../src/app/open-tracing.ts';
import { parseConfig } from '../../../src/config/load-config.ts';
import { TRACING_OFF, type Tracing } from '../../../src/platform/tracing.ts';
import { startOtlpReceiver, type OtlpReceiver } from '../../support/otlp-receiver.ts';

let receiver: OtlpReceiver | undefined;
afterEach(async () => {
  await receiver?.stop();
  receiver = undefined;
});
const open = (environment: Record<string, string>): Promise<Tracing> =>
  openTracing(parseConfig(environment), { redact: (text) => text, onLost: () => undefined });

test('without a collector there is no tracing, whatever else is set', async () => {
  expect(await open({ OTEL_SERVICE_NAME: 'x', OTEL_TRACES_SAMPLER: 'always_on' })).toBe(TRACING_OFF);
});

test.each([
  ['OTEL_EXPORTER_OTLP_ENDPOINT', (url: string) => url.replace('/v1/traces', '')],
  ['OTEL_EXPORTER_OTLP_TRACES_ENDPOINT', (url: string) => url],
])('%s names the collector', async (variable, endpoint) => {
  receiver = await startOtlpReceiver();
  const tracing = await open({
    [variable]: endpoint(receiver.url),
    OTEL_SERVICE_NAME: 'rootnote-eu',
    OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20abc, x-tenant=a=b',
  });
  await tracing.trace('turn', { turn: 1 }, () => Promise.resolve());
  await tracing.stop(5000);
  expect(receiver.spans.map(({ name }) => name)).toEqual(['turn']);
  expect(receiver.headers[0]).toMatchObject({ authorization: 'Bearer abc', 'x-tenant': 'a=b' });
  expect(receiver.resources[0]).toMatchObject({ 'service.name': 'rootnote-eu' });
});

test('the check of a collector sends no span and says what it answered', async () => {
  const never = new AbortController().signal;
  expect(await checkTracing(parseConfig({}), never)).toMatchObject({ status: 'off' });
  receiver = await startOtlpReceiver();
  const here = parseConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.url, OTEL_EXPORTER_OTLP_HEADERS: 'key=abc' });
  expect(await checkTracing(here, never)).toMatchObject({
    status: 'ok',
    value: expect.stringContaining('takes spans'),
  });
  expect(receiver.spans).toEqual([]);
  expect(receiver.headers[0]).toMatchObject({ key: 'abc' });
  await receiver.stop();
  expect(await checkTracing(here, never)).toMatchObject({ status: 'fail', remedy: expect.stringContaining('4318') });
  receiver = await startOtlpReceiver(401);
  const refused = parseConfig({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.url });
  expect(await checkTracing(refused, never)).toMatchObject({
    status: 'fail',
    value: expect.stringContaining('HTTP 401'),
  });
});

test('always_off records nothing', async () => {
  receiver = await startOtlpReceiver();
  const tracing = await open({ OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: receiver.url, OTEL_TRACES_SAMPLER: 'always_off' });
  expect(await tracing.trace('turn', { turn: 1 }, () => Promise.resolve('done'))).toBe('done');
  await tracing.stop(5000);
  expect(receiver.spans).toEqual([]);
});
