import { afterAll, beforeAll, describe } from '@jest/globals';
import { skipSuite } from '../support/describe-if.ts';
import { startElasticsearchImitation } from '../support/log-servers/elasticsearch-imitation.ts';
import { ALL_LINES } from '../support/log-servers/fixture.ts';
import { describeLogContract } from '../support/log-servers/log-contract.ts';
import { startLokiImitation } from '../support/log-servers/loki-imitation.ts';
import { providers } from '../support/log-servers/providers.ts';
import { findLogProgram, startLoki, startVictoriaLogs } from '../support/log-servers/real-servers.ts';
import { startVictoriaLogsImitation } from '../support/log-servers/victorialogs-imitation.ts';

interface Kind {
  readonly name: string;
  readonly provider: keyof typeof providers;
  readonly start: () => Promise<{ readonly url: string; stop(): Promise<void> }>;
  readonly hasLevels?: boolean;
  /** Why it cannot be tried here. */
  readonly missing?: string;
}

/** Imitations run everywhere. That they do not lie is shown by the real ones, where somebody has built them. */
const victoriaLogs = await findLogProgram('ROOTNOTE_VICTORIA_LOGS', 'victoria-logs');
const loki = await findLogProgram('ROOTNOTE_LOKI', 'loki');
const unless = (found: string | undefined, program: string, variable: string) =>
  found === undefined ? { missing: `no ${program} on PATH or in ${variable}; see docs/logs.md` } : {};

const kinds: readonly Kind[] = [
  { name: 'Loki 3 (imitation)', provider: 'loki', start: () => startLokiImitation(ALL_LINES) },
  {
    name: 'Loki without levels and volumes, 1000 lines a page (imitation)',
    provider: 'loki',
    start: () => startLokiImitation(ALL_LINES, { hasMetadata: false, hasVolume: false, maxEntries: 1000 }),
    hasLevels: false,
  },
  { name: 'VictoriaLogs (imitation)', provider: 'victorialogs', start: () => startVictoriaLogsImitation(ALL_LINES) },
  { name: 'Elasticsearch (imitation)', provider: 'elasticsearch', start: () => startElasticsearchImitation(ALL_LINES) },
  {
    name: 'OpenSearch as fluent-bit fills it, without expensive queries, 1000 lines a page (imitation)',
    provider: 'elasticsearch',
    start: () =>
      startElasticsearchImitation(ALL_LINES, {
        distribution: 'opensearch',
        layout: 'fluent-bit',
        allowsExpensive: false,
        maxResultWindow: 1000,
      }),
  },
  {
    name: 'VictoriaLogs',
    provider: 'victorialogs',
    start: () => startVictoriaLogs(victoriaLogs ?? '', ALL_LINES),
    ...unless(victoriaLogs, 'victoria-logs', 'ROOTNOTE_VICTORIA_LOGS'),
  },
  {
    name: 'Loki',
    provider: 'loki',
    start: () => startLoki(loki ?? '', ALL_LINES),
    ...unless(loki, 'loki', 'ROOTNOTE_LOKI'),
  },
];

for (const { name, provider, start, hasLevels = true, missing } of kinds) {
  const suite = missing === undefined ? describe : skipSuite(missing);
  suite(name, () => {
    let server: Awaited<ReturnType<Kind['start']>> | undefined;
    beforeAll(async () => {
      server = await start();
    });
    afterAll(() => server?.stop());
    describeLogContract(() => ({
      provider: (options) => providers[provider]({ url: server?.url ?? '', ...options }),
      hasLevels,
    }));
  });
}
