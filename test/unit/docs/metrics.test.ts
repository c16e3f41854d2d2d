import { expect, test } from '@jest/globals';
import { readFileSync } from 'node:fs';
import { createMetrics } from '../../../src/platform/metrics.ts';

/** Everything that a process may export, by name, with the labels that it has. Gauges without a value have only a head. */
async function exported(): Promise<ReadonlyMap<string, ReadonlySet<string>>> {
  const { text } = createMetrics({
    version: '0',
    sources: ['alertmanager'],
    destinations: ['slack'],
    models: ['model'],
    modelErrors: ['overloaded'],
    tools: ['query_logs'],
    terminationReasons: ['done'],
    budgets: ['turns'],
    redactions: ['jwt'],
    repairs: ['mended'],
    evidenceKinds: ['telemetry'],
    mcp: { servers: ['wiki'], reasons: ['changed'] },
  });
  const { body } = await text();
  const names = [...body.matchAll(/^# TYPE (\S+)/gm)].map(([, name = '']) => name);
  return new Map(
    names.map((name) => {
      const samples = [...body.matchAll(new RegExp(`^${name}\\{(.*)\\} `, 'gm'))];
      const labels = samples.flatMap(([, all = '']) => [...all.matchAll(/(\w+)="/g)].map(([, label = '']) => label));
      return [name, new Set(labels)];
    }),
  );
}

/** The table of docs/operations.md: names of a row, with the labels that it says. */
function documented(): ReadonlyMap<string, string> {
  const text = readFileSync('docs/operations.md', 'utf8');
  const table = /^## Metrics$([\s\S]*?)^## /m.exec(text)?.[1] ?? '';
  const rows = [...table.matchAll(/^\| (`rootnote_[^|]*)\|([^|]*)\|[^|]*\|$/gm)];
  return new Map(
    rows.flatMap(([, names = '', labels = '']) =>
      [...names.matchAll(/`(\w+)`/g)].map(([, name = '']) => [name, labels] as const),
    ),
  );
}

test('docs/operations.md tells of every metric with its labels, and of none that there is not', async () => {
  const [there, told] = [await exported(), documented()];
  expect([...told.keys()].toSorted()).toEqual([...there.keys()].toSorted());
  const untold = [...there].flatMap(([name, labels]) =>
    [...labels].filter((label) => !told.get(name)?.includes(`\`${label}\``)).map((label) => `${name}: ${label}`),
  );
  expect(untold).toEqual([]);
});
