import type { Brief, Suspect } from '../../domain/brief.ts';
import type { Evidence } from '../../domain/evidence.ts';
import type { Incident } from '../../domain/incident.ts';
import { relativeTime } from '../../domain/relative-time.ts';
import type { Conclusion } from '../../domain/report.ts';
import { isReadOnlyCommand } from '../../policy/read-only-command.ts';
import { ACTIONS } from './action-catalogue.ts';
import { ROLL_BACK, type CatalogueStep } from './catalogue-steps.ts';
import { changeInWords } from './change-words.ts';
import { gistOf } from './gist.ts';
import { asSentence, spoken } from './spoken.ts';
import { evidenceOf } from './summarise.ts';

const MAX_CHECKS = 3;
const MAX_PROPOSALS = 2;

/** A change that a workload's revisions know of, so that going back one undoes it. */
const ROLLOUT = /^(rollout|deploy\w*) of /i;

type Action = Conclusion['action_plan'][number];

/** A name that neither a shell nor PromQL reads as anything but a name (RFC 1123 label). */
const SAFE_NAME = /^[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?$/;

/**
 * Checks, then proposals. The checks: the object or the metric that shows the cause, then the catalogue's for the type. The proposals: to revert
 * the change that set it off, then the catalogue's. A command whose names are not plain is left out: what an alert or a log calls a
 * service must not become words of a command line. Nor is there a command for Kubernetes where nothing says that there is one.
 */
export function planActions(suspect: Suspect, incident: Incident, brief: Brief): Action[] {
  const setting = {
    service: suspect.service,
    namespace: incident.labels['namespace'],
    isCluster: isCluster(incident, brief),
  };
  const look = lookAt(suspect, brief);
  const known = ACTIONS[isAboutNode(look) ? 'node_failure' : suspect.rootCauseType]
    .filter(({ only }) => only === undefined || setting.isCluster)
    .map((entry) => toAction(entry, setting));
  const isNew = ({ command }: Action) => command === undefined || look.every((action) => action.command !== command);
  const checks = [...look, ...known.filter(({ risk }) => risk === 'R0').filter(isNew)].slice(0, MAX_CHECKS);
  const revert = revertOf(suspect, setting, incident, brief);
  const proposals = known.filter(({ risk }) => risk !== 'R0');
  // With a change to take back, rolling back is the same again and the rest second best.
  const others = revert.length > 0 ? proposals.filter(({ command }) => !command?.includes('rollout undo')) : proposals;
  return [...checks, ...revert, ...others.slice(0, MAX_PROPOSALS - revert.length)];
}

/** Labels of the alert, objects, or commands of objects: without any of them nothing is known to run in a cluster. */
function isCluster({ labels }: Incident, { evidence }: Brief): boolean {
  const isLabelled = ['namespace', 'pod', 'deployment', 'statefulset', 'daemonset'].some((name) => labels[name]);
  return isLabelled || evidence.some(({ kind, query }) => kind === 'state' || query?.startsWith('kubectl '));
}

/** The object that shows the cause, else the metric to watch. Commands of objects are made by the funnel itself, from checked names. */
function lookAt(suspect: Suspect, brief: Brief): Action[] {
  const named = [...(suspect.mechanism ?? []), ...suspect.reasons.slice(0, 1)];
  const shown = evidenceOf(
    named.flatMap(({ evidenceIds }) => evidenceIds),
    brief,
  );
  const object = shown.find(({ kind, query }) => (kind === 'state' || kind === 'event') && query !== undefined);
  if (object) return [look('Look at the object that shows it.', spoken(object.statement, 300), object.query)];
  const metric = shown.find(({ kind }) => kind === 'metric');
  return metric ? [watch(metric)] : [];
}

/** A node's memory or disk is not a workload's: what helps is to do with the node. */
function isAboutNode(look: readonly Action[]): boolean {
  return look.some(({ command }) => command?.startsWith('kubectl describe node ') ?? false);
}

/** Only a query that surely reads is written as a command: `service/metric` of a recording looks like a path to a program. */
function watch(metric: Evidence): Action {
  const name = metric.statement.split(': ')[0] ?? '';
  const query = metric.query !== undefined && isReadOnlyCommand(metric.query) ? metric.query : undefined;
  return look(`Watch ${spoken(name, 200)}: it has to return to its usual level.`, gistOf(metric), query);
}

function look(step: string, why: string, command: string | undefined): Action {
  return { step, why, risk: 'R0', needs_approval: false, ...(command === undefined ? {} : { command }) };
}

function revertOf({ service, trigger }: Suspect, setting: Setting, incident: Incident, brief: Brief): Action[] {
  const [change] = evidenceOf(trigger?.evidenceIds, brief);
  if (!change) return [];
  const when = change.atMs === undefined ? 'shortly before' : relativeTime(change.atMs, incident.startsAtMs);
  const command = ROLLOUT.test(change.statement) ? toAction(ROLL_BACK, setting).command : undefined;
  return [
    {
      step: asSentence(`Revert the change of ${spoken(service, 120)}: ${changeInWords(change.statement, service)}`),
      why: `It was made ${when}, before the first signs of trouble (${change.id}).`,
      risk: 'R2',
      ...(command === undefined ? {} : { command }),
      rollback: undoOfRevert(changeInWords(change.statement, service)),
      needs_approval: true,
    },
  ];
}

/** `db_pool_max changed from 16 to 2`, `replicas: 3 → 1`: the names and values that most tools write. */
const VALUE_CHANGE = /([\w./-]+)(?::| changed| set| scaled)?(?: from)? (\S+) (?:to|→|->|=>) (\S+?)[.,;]?(?=\s|$)/;

/** What brings the change back, in its own words where they name a value. */
function undoOfRevert(words: string): string {
  const [, name, , now] = VALUE_CHANGE.exec(words) ?? [];
  return name && now ? `Set ${name} back to ${now}.` : asSentence(`Make the change again: ${words}`);
}

interface Setting {
  readonly service: string;
  readonly namespace: string | undefined;
  readonly isCluster: boolean;
}

function toAction(entry: CatalogueStep, setting: Setting): Action {
  const name = spoken(setting.service, 120);
  const command = entry.command === undefined || !setting.isCluster ? undefined : fillCommand(entry.command, setting);
  return {
    step: entry.step.replaceAll('{service}', () => name),
    why: entry.why.replaceAll('{service}', () => name),
    risk: entry.risk,
    needs_approval: entry.risk !== 'R0',
    ...(command === undefined ? {} : { command }),
    ...(entry.rollback === undefined ? {} : { rollback: entry.rollback }),
  };
}

function fillCommand(template: string, { service, namespace }: Setting): string | undefined {
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
