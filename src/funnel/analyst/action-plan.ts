import type { Evidence } from '../../domain/evidence.ts';
import type { Incident } from '../../domain/incident.ts';
import type { Conclusion } from '../../domain/report.ts';
import type { RootCauseType } from '../../domain/root-cause-type.ts';
import { ACTIONS, type CatalogueStep } from './action-catalogue.ts';
import { spoken } from './spoken.ts';

const MAX_STEPS = 5;

type Action = Conclusion['action_plan'][number];

/** A name that neither a shell nor PromQL reads as anything but a name (RFC 1123 label). */
const SAFE_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * The catalogue's steps for the type, with names filled in: at most five, checks before proposals. `shownBy` is what the verdict rests on
 * most: when it is an object, looking at that object comes first. A command whose names are not plain is left out: what an alert
 * or a log calls a service must not become words of a command line.
 */
export function planActions(
  service: string,
  type: RootCauseType,
  incident: Incident,
  shownBy: Evidence | undefined,
): Action[] {
  const namespace = incident.labels['namespace'];
  const look = shownBy ? lookAtObject(shownBy) : undefined;
  const steps = ACTIONS[type].map((entry) => toAction(entry, service, namespace));
  if (!look) return steps;
  return [look, ...steps.filter(({ command }) => command !== look.command)].slice(0, MAX_STEPS);
}

/** The commands of objects are made by the funnel itself, from names that were checked. */
function lookAtObject({ kind, statement, query }: Evidence): Action | undefined {
  if ((kind !== 'state' && kind !== 'event') || query === undefined) return undefined;
  return {
    step: 'Look at the object that shows it.',
    why: spoken(statement, 300),
    risk: 'R0',
    command: query,
    needs_approval: false,
  };
}

function toAction(entry: CatalogueStep, service: string, namespace: string | undefined): Action {
  const name = spoken(service, 120);
  const command = entry.command === undefined ? undefined : fillCommand(entry.command, service, namespace);
  return {
    step: entry.step.replaceAll('{service}', () => name),
    why: entry.why.replaceAll('{service}', () => name),
    risk: entry.risk,
    needs_approval: entry.risk !== 'R0',
    ...(command === undefined ? {} : { command }),
    ...(entry.rollback === undefined ? {} : { rollback: entry.rollback }),
  };
}

function fillCommand(template: string, service: string, namespace: string | undefined): string | undefined {
  const needsService = template.includes('{service}') || template.includes('{pods}');
  const needsNamespace = template.includes('{kubectl}') || template.includes('{pods}');
  if (needsService && !SAFE_NAME.test(service)) return undefined;
  if (needsNamespace && namespace !== undefined && !SAFE_NAME.test(namespace)) return undefined;
  const selector = namespace === undefined ? '' : `namespace="${namespace}",`;
  return template
    .replaceAll('{kubectl}', namespace === undefined ? 'kubectl' : `kubectl -n ${namespace}`)
    .replaceAll('{pods}', `{${selector}pod=~"${service}-.*"}`)
    .replaceAll('{service}', service);
}
