import { styleText } from 'node:util';
import { sidesInWords } from '../domain/alternative-words.ts';
import { partsOfEvidence } from '../domain/evidence-parts.ts';
import { confidenceInWords } from '../domain/confidence.ts';
import type { Report } from '../domain/report.ts';
import { clip } from '../policy/untrusted.ts';
import { counted } from '../domain/counted.ts';
import { WIDTH, wrap } from './wrap.ts';

const RISKS_IN_WORDS =
  '  R0 reads only · R1 is easily undone · R2 changes configuration or workload · R3 is hard to undo';

const FIRST_LOOK = 'First look, by the analyst: an agent is at work, and its report will replace this';

type Paint = (style: Parameters<typeof styleText>[0], text: string) => string;

/** Of an investigation by hand no session is stored that could be looked up. */
type PrintedReport = Omit<Report, 'session'> & { readonly session: string | null };

/** A report for a terminal, 100 columns, verdict first. Colour only when asked: files and pipes get plain text. */
export function printReport(report: PrintedReport, options: { readonly colour: boolean }): string {
  const paint: Paint = (style, text) => (options.colour ? styleText(style, text) : text);
  const lines = verdictLines(report, paint);
  const section = (title: string, rows: readonly string[]) => {
    if (rows.length > 0) lines.push('', paint('bold', title), ...rows);
  };
  section('Since the first look', revisionLines(report));
  const { own, against, others } = partsOfEvidence(report);
  section('What speaks against it', evidenceLines(against, paint));
  section('Evidence', evidenceLines(own, paint));
  section(
    'How it spread',
    report.causal_chain.flatMap((step, index) =>
      wrap(`${index + 1}. ${step.service}: ${step.statement} ${citations(step.evidence)}`, '  ', WIDTH),
    ),
  );
  section(
    'Other suspects',
    report.alternatives.flatMap((other) =>
      wrap(
        `${other.service} (${other.type.replaceAll('_', ' ')}, ${other.confidence.toFixed(2)}): ${other.why_not} ${inBrackets(sidesInWords(other))}`,
        '  ',
        WIDTH,
      ),
    ),
  );
  const risks = report.action_plan.length > 0 ? [paint('dim', RISKS_IN_WORDS)] : [];
  section('Proposed, not executed', [...report.action_plan.flatMap(actionLines), ...risks]);
  section(
    'Not known',
    report.gaps.flatMap((gap) => wrap(`· ${gap}`, '  ', WIDTH)),
  );
  section('Also looked at', evidenceLines(others, paint));
  lines.push('', ...footerLines(report).map((line) => paint('dim', line)));
  return `${lines.join('\n')}\n`;
}

function evidenceLines(items: readonly Item[], paint: Paint): readonly string[] {
  return items.flatMap((item) => [
    ...wrap(`[${item.id}] ${forTerminal(item)}`, '  ', WIDTH),
    ...sourceOf(item).map((source) => paint('dim', source)),
  ]);
}

/** What is wrong, since when, why, and how sure that is. */
function verdictLines(report: PrintedReport, paint: Paint): string[] {
  const heading = (text: string) => paint('bold', text);
  return [
    heading(report.incident.title),
    paint('dim', headerLine(report)),
    ...(report.incident.history === undefined ? [] : wrap(report.incident.history, '', WIDTH)),
    ...(report.incident.description === undefined ? [] : wrap(`"${report.incident.description}"`, '', WIDTH)),
    ...(report.stage === 'first_look' ? [paint('bold', FIRST_LOOK)] : []),
    '',
    ...wrap(report.summary, '', WIDTH),
    '',
    `${heading('Root cause')}   ${causeInWords(report)}`,
    `${heading('Confidence')}   ${confidenceInWords(report.confidence)} (${report.confidence.toFixed(2)})`,
    ...report.confidence_reasons.flatMap((reason) => wrap(`· ${reason}`, '             ', WIDTH)),
  ];
}

/** A lead is not called a cause. */
function causeInWords({ status, root_cause_service: service, root_cause_type: type }: PrintedReport): string {
  const named = [service, type.replaceAll('_', ' ')].filter(Boolean).join(' · ');
  if (status === 'healthy') return 'none: healthy';
  if (status === 'determined') return named;
  return service === null ? 'not determined' : `not determined; the strongest lead is ${named}`;
}

function revisionLines({ revision, status }: PrintedReport): readonly string[] {
  if (!revision) return [];
  if (revision.changes.length === 0) {
    const still = status === 'inconclusive' ? 'still nothing is certain' : 'this look confirms the first';
    return wrap(`Nothing changed: ${still}.`, '  ', WIDTH);
  }
  return revision.changes.flatMap(({ statement, evidence }) =>
    wrap(`· ${statement} ${citations(evidence)}`, '  ', WIDTH),
  );
}

function headerLine(report: PrintedReport): string {
  const { incident } = report;
  const isRecorded = incident.source === 'recording';
  return [
    incident.severity,
    incident.service && `service ${incident.service}`,
    `${isRecorded ? 'recorded, ' : ''}since ${inSeconds(incident.startsAt)}`,
    ...(isRecorded ? [] : [`from ${incident.source}`]),
  ]
    .filter(Boolean)
    .join(' · ');
}

function footerLines(report: PrintedReport): readonly string[] {
  const { usage } = report;
  const subAgents = usage.sub_agents === 0 ? '' : `, ${counted(usage.sub_agents, 'sub-agent')}`;
  const by =
    report.mode === 'agent'
      ? `agent, ${usage.model ?? 'model'}, ${counted(usage.turns, 'turn')}${subAgents}`
      : 'offline analyst, no model';
  const cost = usage.cost_usd ? ` · $${usage.cost_usd.toFixed(3)}` : '';
  const seconds = (usage.duration_ms / 1000).toFixed(1);
  return [
    `${report.id} · by the ${by}${cost} · brief of ${usage.brief_tokens} tokens from ${usage.raw_tokens} · ${seconds} s`,
    `${report.session === null ? '' : `session ${report.session} · `}written ${inSeconds(report.generatedAt)}`,
    ...(report.incident.link === null ? [] : [`alert: ${report.incident.link}`]),
  ];
}

function actionLines(action: Report['action_plan'][number], index: number): readonly string[] {
  const approval = action.needs_approval ? ', needs approval' : '';
  return [
    ...wrap(`${index + 1}. [${action.risk}${approval}] ${action.step}`, '  ', WIDTH),
    ...wrap(action.why, '     ', WIDTH),
    ...(action.command === undefined ? [] : [`     $ ${action.command}`]),
    ...(action.rollback === undefined ? [] : wrap(`undo: ${action.rollback}`, '     ', WIDTH)),
  ];
}

function inSeconds(isoTime: string): string {
  return isoTime.replace(/\.\d+Z$/, 'Z');
}

type Item = Report['evidence'][number];

/** The time once, and no percentiles that only repeat the peak; both stand in full in the JSON and in the brief. */
function forTerminal({ statement, relative, at }: Item): string {
  const short = repeatsPeak(statement) ? statement.replace(PERCENTILES, '') : statement;
  const clock = [at]
    .flatMap((time) => (time === null ? [] : `${time.slice(11, 19)}Z`))
    .filter((time) => !short.includes(time));
  const times = relative === null || short.includes(relative) ? clock : [relative, ...clock];
  return times.length > 0 ? `${short} (${times.join(', ')})` : short;
}

const PEAK = / → ([\d.,]+)([^(;]*)/;
const PERCENTILES = /; P95 ([\d.,]+)[^;,]*, P99 ([\d.,]+)([^;,]*)$/;
/** Nearer than this to the peak, a percentile says nothing new. */
const SAME = 0.95;

function repeatsPeak(statement: string): boolean {
  const [, peak = '', unit = ''] = PEAK.exec(statement) ?? [];
  const [, p95 = '', p99 = '', own = ''] = PERCENTILES.exec(statement) ?? [];
  const [highest, ...others] = [peak, p95, p99].map((digits) => Number.parseFloat(digits.replaceAll(',', '')));
  return unit.trim() === own.trim() && others.every((value) => value >= SAME * (highest ?? Number.NaN));
}

/** Where to see it for oneself: the query, else the page. None where the statement names the series already. */
function sourceOf({ statement, query, link }: Item): readonly string[] {
  const isSaid = query !== null && statement.includes(query.replace('/', ' '));
  const way = isSaid ? link : (query ?? link);
  return way === null ? [] : [clip(`      ↳ ${way}`, WIDTH)];
}

function citations(ids: readonly string[]): string {
  return inBrackets(ids.join(', '));
}

function inBrackets(text: string): string {
  return text === '' ? '' : `[${text}]`;
}
