import { TELEMETRY_KINDS, type Brief, type Suspect } from '../../domain/brief.ts';
import type { Conclusion } from '../../domain/report.ts';
import { isClear } from './gist.ts';
import { evidenceOf } from './summarise.ts';

/** From here on the ranker's first suspect is worth a look though nothing passes the bar of trouble. */
const NOTABLE_SCORE = 1;
const SURE = 0.8;
const MAX_NAMED = 4;
/** Metrics are the kind that shows most; what one more silent kind, or one more gap, takes away. */
const WITHOUT_METRICS = 0.3;
const WITHOUT_ANOTHER = 0.05;
const LEAST = 0.2;

/** True when something that could show trouble was read, and shows none. */
export function isHealthy(brief: Brief): boolean {
  const score = brief.ranking.suspects[0]?.score ?? 0;
  return wasRead(brief) && (brief.trouble ?? []).length === 0 && score < NOTABLE_SCORE;
}

/** Changes tell what was done, not how it went. */
function wasRead({ rawTokens, kindsRead }: Brief): boolean {
  return kindsRead === undefined ? rawTokens > 0 : kindsRead.some((kind) => kind !== 'changes');
}

/** The verdict "healthy", which speaks only for the kinds that were read. */
export function healthy(brief: Brief): Conclusion {
  const silent = silentKinds(brief);
  const failed = brief.gaps.filter(({ source }) => source !== 'telemetry').length;
  const partly =
    failed > 0 ? `${failed} ${failed === 1 ? 'source or list' : 'sources or lists'} could not be read in full` : '';
  const lost = silent.reduce((sum, kind) => sum + (kind === 'metrics' ? WITHOUT_METRICS : WITHOUT_ANOTHER), 0);
  const confidence = Math.max(LEAST, SURE - lost - (failed > 0 ? WITHOUT_METRICS : 0));
  return {
    status: 'healthy',
    summary: `Nothing notable: ${[scopeOf(brief), partly].filter(Boolean).join('; ')}.`,
    root_cause_service: null,
    root_cause_type: 'none',
    confidence: Math.round(100 * confidence) / 100,
    confidence_reasons: [
      'no metric that was read jumps from zero, doubles or nears its limit, and no error or state is new',
      ...(silent.length > 0 ? [`although: there were no ${silent.join(', ')} to look at`] : []),
      ...(partly ? [`although: ${partly}`] : []),
    ],
    evidence: [],
    causal_chain: [],
    alternatives: [],
    action_plan: [],
  };
}

function scopeOf(brief: Brief): string {
  if (brief.kindsRead === undefined) return 'nothing of what was read deviates';
  const silent = silentKinds(brief);
  const read = `${listed(brief.kindsRead)} were read and show no trouble`;
  return silent.length > 0 ? `${read}; ${listed(silent)} were not` : read;
}

function silentKinds({ kindsRead }: Brief) {
  return kindsRead === undefined ? [] : TELEMETRY_KINDS.filter((kind) => !kindsRead.includes(kind));
}

/** `M2` before `M10`. */
const byNumber = new Intl.Collator('en', { numeric: true }).compare;

function listed(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1)}`;
}

/** Reasons for the confidence of a check that found trouble: that there is trouble is sure, who causes it is not. Empty without any. */
export function reasonsOfTrouble(brief: Brief): readonly string[] {
  const trouble = evidenceOf(brief.trouble, brief);
  if (trouble.length === 0) return [];
  const services = [...new Set(trouble.flatMap(({ service }) => service ?? []))];
  const where = services.length === 1 ? `all of it in ${services[0]}` : `in ${services.length} services`;
  const facts = trouble
    .slice(0, MAX_NAMED)
    .map(({ id }) => id)
    .sort(byNumber);
  const isBlurred = trouble.every((item) => !isClear(item));
  return [
    `there is trouble by any measure (${facts.join(', ')}), ${where}`,
    ...(isBlurred ? ['although: what was read holds earlier trouble too, so that no clear beginning shows'] : []),
    ...brief.ranking.confidenceReasons.filter((reason) => reason.startsWith('although: there were no')),
  ];
}

/**
 * Whom a check that found trouble names: the best ranked of those who show it, for the ranker weighs against the history of a service, which an earlier
 * outage spoils. Its reasons then begin with the trouble itself. The first suspect when no trouble is known; undefined without one.
 */
export function leadOfCheck(brief: Brief): Suspect | undefined {
  const trouble = evidenceOf(brief.trouble, brief);
  const suspects = brief.ranking.suspects.filter(({ score }) => score > 0);
  const [first] = suspects;
  if (trouble.length === 0 || (first && first.score >= NOTABLE_SCORE)) return first;
  const isTroubled = ({ service }: Suspect) => trouble.some((item) => item.service === service);
  const lead = suspects.find(isTroubled) ?? brief.ranking.suspects.find(isTroubled) ?? first;
  if (!lead) return undefined;
  const own = trouble.filter(({ service }) => service === lead.service);
  const shown = own.length > 0 ? own : trouble;
  const reason = {
    type: 'generic',
    score: lead.score,
    statement: shown[0]?.statement ?? '',
    evidenceIds: shown.map(({ id }) => id).slice(0, 3),
  };
  return { ...lead, reasons: [reason, ...lead.reasons], mechanism: lead.mechanism ?? [reason] };
}
