import type { Brief, Suspect } from '../../domain/brief.ts';
import type { Evidence } from '../../domain/evidence.ts';
import type { Incident } from '../../domain/incident.ts';
import { isReadOnlyCommand } from '../../policy/read-only-command.ts';
import { ACTIONS } from './action-catalogue.ts';
import { FIX_CONFIGURATION, ROLL_BACK, type CatalogueStep } from './catalogue-steps.ts';
import { NODE_ACTIONS } from './catalogue-workloads.ts';
import { gistOf } from './gist.ts';
import { isPlaced } from './namespace.ts';
import { revertOf } from './revert.ts';
import { spoken } from './spoken.ts';
import { evidenceOf } from './summarise.ts';
import { settingOf, toAction, type Action, type Setting } from './to-action.ts';

const MAX_CHECKS = 3;
const MAX_PROPOSALS = 2;
/** Going back to what worked does what these do. */
const SAME_AS_REVERT: ReadonlySet<object> = new Set([ROLL_BACK, FIX_CONFIGURATION]);

/**
 * What to do about a cause. Checks first, then what ends the trouble: to revert the change that set it off, then what the catalogue proposes for
 * the type. How to see that it worked comes last. `isSure`: one check is enough before the revert, the others come after it.
 */
export function planActions(suspect: Suspect, incident: Incident, brief: Brief, isSure: boolean): Action[] {
  const setting = settingOf(suspect, incident, brief);
  const { metric } = shownBy(suspect, brief);
  const revert = revertOf(suspect, setting, incident, brief);
  const checks = checksOf(suspect, setting, brief).slice(0, metric ? MAX_CHECKS - 1 : MAX_CHECKS);
  const before = revert && isSure ? 1 : checks.length;
  const others = entriesFor(suspect, setting, brief)
    .filter((entry) => entry.risk !== 'R0' && !(revert && SAME_AS_REVERT.has(entry)))
    .slice(0, revert ? MAX_PROPOSALS - 1 : MAX_PROPOSALS)
    .map((entry) => toAction(entry, setting));
  return [
    ...checks.slice(0, before),
    ...(revert ? [revert] : []),
    ...checks.slice(before),
    ...others,
    ...(metric ? [watch(metric)] : []),
  ];
}

/** Where to look while no cause is known: nothing that changes anything. */
export function planChecks(suspect: Suspect, incident: Incident, brief: Brief): Action[] {
  const { metric } = shownBy(suspect, brief);
  const checks = checksOf(suspect, settingOf(suspect, incident, brief), brief);
  const isShown = metric === undefined || checks.some((check) => check.command === queryOf(metric));
  return [...(isShown ? [] : [lookAtMetric(metric)]), ...checks].slice(0, MAX_CHECKS);
}

/** The object that shows the cause, then the catalogue's for the type, those with a command before those without; the metric's query where no other is known. */
function checksOf(suspect: Suspect, setting: Setting, brief: Brief): readonly Action[] {
  const { object, metric } = shownBy(suspect, brief);
  const known = entriesFor(suspect, setting, brief)
    .filter(({ risk }) => risk === 'R0')
    .map((entry) => toAction(entry, setting))
    .filter(({ command }) => command === undefined || command !== object?.query);
  const checks = [...(object ? [lookAtObject(object)] : []), ...known].toSorted(
    (a, b) => Number(a.command === undefined) - Number(b.command === undefined),
  );
  const isQueryNeeded = metric && queryOf(metric) !== undefined && checks.every(({ command }) => !command);
  return isQueryNeeded ? [lookAtMetric(metric), ...checks] : checks;
}

function entriesFor(suspect: Suspect, { isCluster }: Setting, brief: Brief) {
  const type = suspect.rootCauseType;
  const isAboutNode = shownBy(suspect, brief).object?.query === `kubectl describe node ${suspect.service}`;
  const ofNode = type === 'disk_full' || type === 'memory_exhaustion' ? NODE_ACTIONS[type] : NODE_ACTIONS.any;
  const entries: readonly CatalogueStep[] = isAboutNode ? ofNode : ACTIONS[type];
  return entries.filter(({ only }) => only === undefined || isCluster);
}

interface Shown {
  readonly object?: Evidence;
  readonly metric?: Evidence;
}

/** The object that shows the cause, else the metric. Commands of objects are made by the funnel itself, from checked names. */
function shownBy({ mechanism = [], reasons }: Suspect, brief: Brief): Shown {
  const ids = [...mechanism, ...reasons.slice(0, 1)].flatMap(({ evidenceIds }) => evidenceIds);
  const shown = evidenceOf(ids, brief);
  const object = shown.find(({ kind, query }) => (kind === 'state' || kind === 'event') && query !== undefined);
  if (object) return { object };
  const metric = shown.find(({ kind }) => kind === 'metric');
  return metric ? { metric } : {};
}

function lookAtObject(object: Evidence): Action {
  const { query } = object;
  const command = query !== undefined && isPlaced(query) ? query : undefined;
  return look('Look at the object that shows it.', spoken(object.statement, 300), command);
}

function lookAtMetric(metric: Evidence): Action {
  return look(`Look at ${nameOf(metric)}.`, gistOf(metric), queryOf(metric));
}

function watch(metric: Evidence): Action {
  return look(
    `Afterwards, watch ${nameOf(metric)}: it has to return to its usual level.`,
    gistOf(metric),
    queryOf(metric),
  );
}

function nameOf({ statement }: Evidence): string {
  return spoken(statement.split(': ')[0] ?? '', 200);
}

/** Only a query that surely reads is written as a command: `service/metric` of a recording looks like a path to a program. */
function queryOf({ query }: Evidence): string | undefined {
  return query !== undefined && isReadOnlyCommand(query) ? query : undefined;
}

function look(step: string, why: string, command: string | undefined): Action {
  return { step, why, risk: 'R0', needs_approval: false, ...(command === undefined ? {} : { command }) };
}
