import { at, listAt, textAt, textsAt } from '../../funnel/events/json-path.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';

/** What differs between two pod templates, in words. */
export interface TemplateDiff {
  readonly parts: readonly string[];
  /** Only what the program is told differs, not the program. */
  readonly isConfiguration: boolean;
}

const MOST_PARTS = 8;
const LONGEST_VALUE = 80;

/** `image of app shop/app:1 → shop/app:2`, `env LOG_LEVEL of app info → debug`. Values that look like credentials were replaced when the object was read. */
export function compareTemplates(before: unknown, after: unknown): TemplateDiff {
  const [old, now] = [containersOf(before), containersOf(after)];
  const names = [...new Set([...old.keys(), ...now.keys()])];
  const images: string[] = [];
  const settings: string[] = [];
  const others: string[] = [];
  for (const name of names) {
    const [from, to] = [old.get(name), now.get(name)];
    if (from === undefined || to === undefined) {
      others.push(`container ${name} ${to === undefined ? 'removed' : 'added'}`);
      continue;
    }
    images.push(...fromTo(`image of ${name}`, textAt(from, 'image'), textAt(to, 'image')));
    settings.push(...mapDiff(variablesOf(from), variablesOf(to), (variable) => `env ${variable} of ${name}`));
    others.push(...mapDiff(resourcesOf(from), resourcesOf(to), (resource) => `${resource} of ${name}`));
    others.push(...sections(from, to, CONTAINER_SECTIONS).map((section) => `${section} of ${name} changed`));
  }
  settings.push(...mapDiff(sourcesOf(before), sourcesOf(after), (source) => source));
  others.push(...sections(at(before, 'spec'), at(after, 'spec'), POD_SECTIONS).map((section) => `${section} changed`));
  others.push(...restarted(before, after));
  const parts = [...images, ...settings, ...others].slice(0, MOST_PARTS);
  return { parts, isConfiguration: settings.length > 0 && images.length + others.length === 0 };
}

const CONTAINER_SECTIONS = [
  'command',
  'args',
  'ports',
  'readinessProbe',
  'livenessProbe',
  'startupProbe',
  'securityContext',
];
const POD_SECTIONS = [
  'serviceAccountName',
  'nodeSelector',
  'affinity',
  'tolerations',
  'priorityClassName',
  'imagePullSecrets',
  'securityContext',
];

function containersOf(template: unknown): ReadonlyMap<string, unknown> {
  const containers = [...listAt(template, 'spec', 'initContainers'), ...listAt(template, 'spec', 'containers')];
  return new Map(containers.map((container) => [textAt(container, 'name') ?? '(unnamed)', container]));
}

/** The value of each variable, or where it comes from. */
function variablesOf(container: unknown): ReadonlyMap<string, string> {
  return new Map(
    listAt(container, 'env').map((entry) => {
      const source = at(entry, 'valueFrom');
      return [textAt(entry, 'name') ?? '?', source === undefined ? (textAt(entry, 'value') ?? '') : sourceText(source)];
    }),
  );
}

function sourceText(source: unknown): string {
  const map = at(source, 'configMapKeyRef');
  if (map !== undefined) return `key ${textAt(map, 'key')} of config map ${textAt(map, 'name')}`;
  const secret = at(source, 'secretKeyRef');
  if (secret !== undefined) return `key ${textAt(secret, 'key')} of secret ${textAt(secret, 'name')}`;
  return JSON.stringify(source);
}

function resourcesOf(container: unknown): ReadonlyMap<string, string> {
  return new Map(
    (['requests', 'limits'] as const).flatMap((part) =>
      Object.entries(textsAt(container, 'resources', part)).map(
        ([name, value]) => [`${name} ${part.slice(0, -1)}`, value] as const,
      ),
    ),
  );
}

/** Config maps and secrets by where they go in: their names often carry a hash of what they hold. */
function sourcesOf(template: unknown): ReadonlyMap<string, string> {
  const sources = new Map<string, string>();
  for (const volume of listAt(template, 'spec', 'volumes')) {
    const name = textAt(volume, 'configMap', 'name') ?? textAt(volume, 'secret', 'secretName');
    if (name !== undefined) sources.set(`volume ${textAt(volume, 'name') ?? '?'}`, name);
  }
  for (const [container, body] of containersOf(template)) {
    for (const [i, source] of listAt(body, 'envFrom').entries()) {
      const name = textAt(source, 'configMapRef', 'name') ?? textAt(source, 'secretRef', 'name');
      if (name !== undefined) sources.set(`environment source ${i + 1} of ${container}`, name);
    }
  }
  return sources;
}

function sections(before: unknown, after: unknown, names: readonly string[]): readonly string[] {
  return names.filter((name) => JSON.stringify(at(before, name)) !== JSON.stringify(at(after, name)));
}

function restarted(before: unknown, after: unknown): readonly string[] {
  const mark = (template: unknown) => textsAt(template, 'metadata', 'annotations')['kubectl.kubernetes.io/restartedAt'];
  return mark(after) !== undefined && mark(before) !== mark(after) ? ['restarted by kubectl rollout restart'] : [];
}

function mapDiff(
  before: ReadonlyMap<string, string>,
  after: ReadonlyMap<string, string>,
  nameIt: (key: string) => string,
): readonly string[] {
  return [...new Set([...before.keys(), ...after.keys()])].flatMap((key) =>
    fromTo(nameIt(key), before.get(key), after.get(key)),
  );
}

function fromTo(what: string, from: string | undefined, to: string | undefined): readonly string[] {
  if (from === to) return [];
  const shown = (value: string | undefined) =>
    value === undefined ? '(unset)' : clip(oneLine(value), LONGEST_VALUE) || '(empty)';
  return [`${what} ${shown(from)} → ${shown(to)}`];
}
