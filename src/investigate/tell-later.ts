import type { Incident } from '../domain/incident.ts';
import { serviceOf } from '../domain/labels.ts';
import type { Look } from '../domain/look.ts';
import type { Report } from '../domain/report.ts';
import { clip } from '../policy/untrusted.ts';
import { compareLooks, risenReasons } from './compare-looks.ts';
import { counted } from '../domain/counted.ts';

const MOST_NAMES = 5;
const LONGEST_NEWS = 600;

/** What stands for an incident when it is looked at again. */
export interface Standing {
  readonly report: Report;
  readonly incident: Incident;
  /** The analyst's, on the ranking that the report rests on. */
  readonly analystLook: Look;
}

/** What a later look or round came to. */
export interface Later {
  readonly report: Report;
  readonly analystLook: Look;
}

/** What is to stand from now on, and one sentence for people: what changed and why. Redacted as its parts are. */
export interface LaterReport {
  readonly report: Report;
  readonly news: string;
}

/**
 * What a later look without a model changes: nothing (undefined) unless another service leads the ranking. The analyst's report gives way to the later one;
 * an agent's verdict, which rests on more than a ranking, stays, and what the later look found is told beside it. Pure.
 */
export function tellLook(standing: Standing, later: Later): LaterReport | undefined {
  const { changes } = compareLooks(standing.analystLook, later.analystLook);
  const change = changes.find(({ what }) => what === 'root_cause_service');
  if (!change) return undefined;
  if (standing.report.mode === 'agent') return besideAgent(standing, later);
  return { report: later.report, news: clip(`Samples up to ${seenUntil(later)}: ${change.statement}`, LONGEST_NEWS) };
}

/**
 * What a full investigation of a grown incident changes: its report stands, and the news says who joined and what became of the verdict. One that the
 * analyst had to write leaves an agent's verdict standing. `incident` is as it was investigated now. Pure.
 */
export function tellRound(standing: Standing, incident: Incident, later: Later): LaterReport {
  const joined = joinedInWords(standing.incident, incident);
  if (standing.report.mode === 'agent' && later.report.mode === 'analyst') {
    const { report, news } = besideAgent(standing, later);
    const why = later.report.gaps.filter((gap) => /^(no )?model: /.test(gap));
    const gaps = [...report.gaps, ...why];
    return {
      report: { ...report, incident: later.report.incident, gaps },
      news: clip(`${joined}; ${news}`, LONGEST_NEWS),
    };
  }
  return {
    report: later.report,
    news: clip(`${joined}; ${verdictInWords(standing.report, later.report)}`, LONGEST_NEWS),
  };
}

/** The agent's verdict with what the later samples say to it. Their evidence has ids of its own, so that none of it is cited here. */
function besideAgent(standing: Standing, later: Later): LaterReport {
  const { report } = standing;
  const news = againstAgent(standing, later);
  const revision = compareLooks(standing.analystLook, later.analystLook);
  const changes = revision.changes.map((change) => ({ ...change, evidence: [] }));
  const agrees = later.analystLook.root_cause_service === report.root_cause_service;
  const reasons = agrees ? report.confidence_reasons : [...report.confidence_reasons, clip(news, 400)];
  return { report: { ...report, revision: { ...revision, changes }, confidence_reasons: reasons }, news };
}

function againstAgent({ report, analystLook: earlier }: Standing, later: Later): string {
  const { root_cause_service: named } = report;
  const { root_cause_service: leads } = later.analystLook;
  const until = seenUntil(later);
  const agent = named === null ? 'The agent named no cause' : `The agent named ${named}`;
  if (leads === null) return `${agent}; in samples up to ${until} no service stands out any more`;
  if (leads === named) return `${agent}; samples up to ${until} rank it first, too`;
  const reasons = risenReasons(earlier, later.analystLook, leads).map(({ statement }) => statement);
  const since = reasons.length > 0 ? `, since: ${reasons.join('; ')}` : '';
  return clip(`${agent}; samples up to ${until} now rank ${leads} first${since}`, LONGEST_NEWS);
}

/** `2 more services joined: cart, checkout`; when no service is new, the alerts; when none is either, the severity. */
function joinedInWords(before: Incident, now: Incident): string {
  const known = new Set(servicesOf(before));
  const services = servicesOf(now)
    .filter((service) => !known.has(service))
    .sort();
  if (services.length > 0) {
    const more = services.length > MOST_NAMES ? ` and ${services.length - MOST_NAMES} more` : '';
    const names = services.slice(0, MOST_NAMES).join(', ');
    return `${counted(services.length, 'more service')} joined: ${names}${more}`;
  }
  const alerts = now.alertCount - before.alertCount;
  if (alerts > 0) return `${counted(alerts, 'more alert')} joined`;
  if (now.severity !== before.severity) return `The severity is now ${now.severity ?? 'not given'}`;
  return 'The incident changed';
}

function servicesOf({ alerts }: Incident): readonly string[] {
  return [...new Set(alerts.flatMap(({ labels }) => serviceOf(labels) ?? []))];
}

function verdictInWords({ root_cause_service: was }: Report, { root_cause_service: is }: Report): string {
  if (was === is) return is === null ? 'still no cause stands out' : `the cause is still seen in ${is}`;
  if (is === null) return `${was} is no longer suspected, and no other cause stands out`;
  return was === null ? `now ${is} is suspected` : `now ${is} is suspected, no longer ${was}`;
}

/** `08:10 UTC` */
function seenUntil({ report, analystLook }: Later): string {
  const atMs = analystLook.seenUntilMs ?? Date.parse(report.generatedAt);
  return `${new Date(atMs).toISOString().slice(11, 16)} UTC`;
}
