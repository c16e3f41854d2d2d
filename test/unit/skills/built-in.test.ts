import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import { classifyCommand } from '../../../src/policy/shell/classify.ts';
import { createSkillShelf } from '../../../src/skills/skill-shelf.ts';
import { builtInSkills } from '../../../src/skills/folders.ts';

const shelf = createSkillShelf([builtInSkills()]);
const catalogue = await shelf.catalogue();
const names = catalogue.map(({ name }) => name);
const bodies = new Map(await Promise.all(names.map(async (name) => [name, (await shelf.load(name)) ?? ''] as const)));
const bodyOf = (name: string): string => bodies.get(name) ?? '';

const SECTIONS = [
  'When it fits',
  'Evidence to collect',
  'How to tell causes apart',
  'Stop conditions',
  'Change and approval',
  'Acceptance',
];

function sectionsOf(name: string): ReadonlyMap<string, string> {
  const [, ...parts] = bodyOf(name).split(/^## /m);
  return new Map(parts.map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)]));
}

function blocksOf(text: string, language: string): readonly string[] {
  const fenced = new RegExp(`^ *\`\`\`${language}\\n([\\s\\S]*?)^ *\`\`\`$`, 'gm');
  return [...text.matchAll(fenced)].map((match) => match[1] ?? '');
}

describe('the built-in playbooks', () => {
  test('B2: the seven of SPEC, and those that common alerts call for', () => {
    const wanted = `nginx-5xx disk-full safe-service-restart k8s-crashloop docker-restart-loop dns-tls backup-recovery
      http-latency error-rate-burn pod-pending node-pressure pvc-filling database-connections replication-lag queue-lag
      certificate-expiry cpu-throttling oom-killed deployment-regression dependency-failure traffic-surge`;
    expect(names).toEqual(expect.arrayContaining(wanted.split(/\s+/)));
  });

  describe.each(names)('%s', (name) => {
    const body = bodyOf(name);

    test('B1: has a description that fits one line of a catalogue', () => {
      const description = catalogue.find((entry) => entry.name === name)?.description ?? '';
      expect(description.length).toBeGreaterThan(60);
      expect(description.length).toBeLessThan(400);
    });

    test('B2: has evidence, causes, stop conditions, change and approval, and acceptance, and no section is empty', () => {
      const sections = sectionsOf(name);
      expect([...sections.keys()]).toEqual(SECTIONS);
      for (const text of sections.values()) expect(text.trim().length).toBeGreaterThan(60);
    });

    test('B4: is short enough to be read whole', () => {
      const file = readFileSync(join(builtInSkills(), `${name}.md`), 'utf8');
      expect(file.length).toBeLessThanOrEqual(12_000);
      expect(file.split('\n').length).toBeLessThanOrEqual(150);
    });

    test('B2: every cause comes with what would refute it', () => {
      const rows = (sectionsOf(name).get('How to tell causes apart') ?? '')
        .split('\n')
        .filter((line) => line.startsWith('|'))
        .map((line) =>
          line
            .split('|')
            .slice(1, -1)
            .map((cell) => cell.trim()),
        );
      expect(rows[0]).toEqual(['you see', 'it means', 'refuted by']);
      expect(rows.length).toBeGreaterThanOrEqual(8);
      for (const row of rows) expect(row.filter(Boolean)).toHaveLength(3);
    });

    test('B2: evidence is asked for with the tools that there are, and acceptance has numbers', () => {
      const evidence = sectionsOf(name).get('Evidence to collect') ?? '';
      for (const tool of evidence.match(/`query_\w+`/g) ?? [])
        expect(tool).toMatch(/^`query_(metrics|logs|events|state|changes|traces)`$/);
      expect(evidence).toMatch(/query_metrics/);
      expect(blocksOf(evidence, 'promql').length).toBeGreaterThanOrEqual(3);
      expect(blocksOf(evidence, 'sh').length).toBeGreaterThanOrEqual(1);
      expect(sectionsOf(name).get('Acceptance')).toMatch(/\d/);
    });

    test('B2: PromQL is closed and names what it counts', () => {
      for (const query of blocksOf(body, 'promql'))
        expect({ query, problem: problemOf(query) }).toEqual({ query, problem: undefined });
    });

    test('B6 B17: the gate lets every command of the evidence pass, and each of them only reads', () => {
      const commands = blocksOf(body, 'sh').flatMap((block) => block.trim().split('\n'));
      const refused = commands
        .map((command) => ({ command, ...classifyCommand(command.trim()) }))
        .filter(({ allowed }) => !allowed);
      expect(refused.map(({ command, reason }) => `${command}: ${reason}`)).toEqual([]);
    });

    test('B6: what changes something is only proposed, with its risk', () => {
      const change = sectionsOf(name).get('Change and approval') ?? '';
      expect(change).toMatch(/^\s*Propose only/);
      expect(change).toMatch(/\bR[123]\b/);
    });

    test('B6: nothing in it speaks as if it could permit', () => {
      expect(body).not.toMatch(/\b(?:is|are|has been|already) (?:approved|authori[sz]ed|permitted)\b/i);
      expect(body).not.toMatch(
        /\b(?:without|no) (?:approval|confirmation|asking)\b|\byou may (?:run|execute|apply|restart|delete)\b/i,
      );
    });

    test('refers only to playbooks that there are', () => {
      const named = [...body.matchAll(/`([a-z0-9]+(?:-[a-z0-9]+)+)`/g)].map(([, word]) => word ?? '');
      const likeSkills = named.filter((word) => !OTHER_WORDS.has(word));
      expect(likeSkills.filter((word) => !names.includes(word))).toEqual([]);
    });
  });
});

/** Words in code quotes that have the shape of a name and are none of ours. */
const OTHER_WORDS = new Set([
  'proxy-read-timeout',
  'order-worker',
  'db-backup',
  'invoice-run',
  'shop-tls',
  'worker-1',
  'web-1',
  'db-0',
  'db-1',
  'data-db-0',
  'invoice-run-29401440',
  'checkout-7d9c5b6f4d-x2x7k',
]);

/** Brackets and quotes of a query, and a name of a metric in it. */
function problemOf(query: string): string | undefined {
  const bare = query.replace(/"(?:[^"\\]|\\.)*"/g, '""');
  if (bare.replaceAll('""', '').includes('"')) return 'an open quote';
  const open: string[] = [];
  const pairs: Readonly<Record<string, string>> = { ')': '(', ']': '[', '}': '{' };
  for (const character of bare.replaceAll('""', '')) {
    if ('([{'.includes(character)) open.push(character);
    const opening = pairs[character];
    if (opening !== undefined && open.pop() !== opening) return `a ${character} that closes nothing`;
  }
  if (open.length > 0) return `an open ${open.join('')}`;
  if (/\b(?:rate|increase|deriv|predict_linear|\w+_over_time|changes)\([^[\]]*\)/.test(bare))
    return 'a range function without a range';
  return /[a-z]+_[a-z_]+|\bup\b/.test(bare) ? undefined : 'no metric';
}
