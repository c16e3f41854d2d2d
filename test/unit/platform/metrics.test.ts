import { describe, expect, test } from '@jest/globals';
import { testMetrics } from '../../support/http-server.ts';

describe('metrics', () => {
  const text = async (record: (metrics: ReturnType<typeof testMetrics>) => void) => {
    const metrics = testMetrics();
    record(metrics);
    return (await metrics.text()).body;
  };

  test('counters stand at 0 for every known label before anything happens', async () => {
    const body = await text(() => undefined);
    expect(body).toContain('rootnote_webhook_requests_total{source="alertmanager",code="503"} 0');
    expect(body).toContain('rootnote_deliveries_total{destination="file",outcome="gave-up"} 0');
    expect(body).toContain('rootnote_llm_tokens_total{model="test-model",agent="sub",type="cache_read"} 0');
    expect(body).toMatch(/rootnote_build_info\{version="0\.0\.0",node="v[\d.]+"\} 1/);
  });

  test('a value outside the known ones is counted as other and makes no new series', async () => {
    const body = await text((metrics) => {
      for (let n = 0; n < 50; n++) metrics.toolCall(`invented-${n}`, 'ok');
      metrics.delivery('https://evil.example.net', 'delivered', 1500);
    });
    expect(body).toContain('rootnote_tool_calls_total{tool="other",outcome="ok"} 50');
    expect(body).toContain('rootnote_delivery_duration_seconds_sum{destination="other",outcome="delivered"} 1.5');
    expect(body).not.toMatch(/invented|evil/);
  });

  test('an investigation is counted, timed and its turns kept', async () => {
    const body = await text((metrics) =>
      metrics.investigation({
        source: 'alertmanager',
        outcome: 'determined',
        terminationReason: 'done',
        durationMs: 12_000,
        turns: 7,
      }),
    );
    expect(body).toContain('rootnote_investigations_total{outcome="determined",termination_reason="done"} 1');
    expect(body).toContain('rootnote_investigation_duration_seconds_sum{source="alertmanager"} 12');
    expect(body).toContain('rootnote_investigation_turns_sum{source="alertmanager"} 7');
  });

  test('what has a unit is kept in seconds', async () => {
    const body = await text((metrics) => {
      metrics.llmFirstToken('test-model', 1500);
      metrics.reportRepair('mended');
    });
    expect(body).toContain('rootnote_llm_time_to_first_token_seconds_sum{model="test-model"} 1.5');
    expect(body).toContain('rootnote_report_repairs_total{result="mended"} 1');
  });

  test('gauges of the queue are set', async () => {
    const body = await text((metrics) =>
      metrics.queue('incidents', { waiting: 3, active: 1, delayed: 0, failed: 2 }, 4000),
    );
    expect(body).toContain('rootnote_queue_depth{queue="incidents",state="waiting"} 3');
    expect(body).toContain('rootnote_queue_oldest_age_seconds{queue="incidents"} 4');
  });

  test('what nobody has told is not shown as 0, and what is no longer known is not shown as it was', async () => {
    const gauges = /^rootnote_(?:inbox_|queue_|delivery_(?:backlog|oldest))[a-z_]*(?:\{.*\})? .*$/gm;
    expect((await text(() => undefined)).match(gauges)).toBeNull();
    const told = (metrics: ReturnType<typeof testMetrics>) => {
      metrics.inbox(2, 3000, 0);
      metrics.queue('incidents', { waiting: 3, active: 1, delayed: 0, failed: 2 }, 4000);
      metrics.deliveryBacklog('file', 1, 2000);
    };
    expect((await text(told)).match(gauges)).toHaveLength(10);
    const forgotten = await text((metrics) => {
      told(metrics);
      metrics.inboxUnknown();
      metrics.queuesUnknown();
    });
    expect(forgotten.match(gauges)).toBeNull();
  });
});
