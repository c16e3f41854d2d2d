import { styleText } from 'node:util';
import { confidenceInWords } from '../domain/confidence.ts';
import type { Report } from '../domain/report.ts';

type Style = Parameters<typeof styleText>[0];

/** A report for a terminal, 100 columns, verdict first. Colour only when asked: files and pipes get plain text. */
export function printReport(report: Report, options: { readonly colour: boolean }): string {
  const paint = (style: Style, text: string) => (options.colour ? styleText(style, text) : text);
  const heading = (text: string) => paint('bold', text);
  const lines: string[] = [
    paint('bold', report.incident.title),
    paint('dim', headerLine(report)),
    '',
    ...wrap(report.summary, '', 100),
    '',
    `${heading('Root cause')}   ${report.root_cause_service ?? 'not determined'} · ${report.root_cause_type.replaceAll('_', ' ')}`,
    `${heading('Confidence')}   ${confidenceInWords(report.confidence)} (${report.confidence.toFixed(2)})`,
    ...report.confidence_reasons.flatMap((reason) => wrap(`· ${reason}`, '             ', 100)),
  ];
  const section = (title: string, rows: readonly string[]) => {
    if (rows.length > 0) lines.push('', heading(title), ...rows);
  };
  section(
    'Evidence',
    report.evidence.flatMap((item) =>
      wrap(`[${item.id}] ${item.statement}${item.relative ? ` (${item.relative})` : ''}`, '  ', 100),
    ),
  );
  section(
    'How it spread',
    report.causal_chain.flatMap((step, index) =>
      wrap(`${index + 1}. ${step.service}: ${step.statement} ${citations(step.evidence)}`, '  ', 100),
    ),
  );
  section(
    'Other suspects',
    report.alternatives.flatMap((other) =>
      wrap(
        `${other.service} (${other.type.replaceAll('_', ' ')}, ${other.confidence.toFixed(2)}): ${other.why_not}`,
        '  ',
        100,
      ),
    ),
  );
  section('Proposed, not executed', report.action_plan.flatMap(actionLines));
  section(
    'Not known',
    report.gaps.flatMap((gap) => wrap(`· ${gap}`, '  ', 100)),
  );
  lines.push('', paint('dim', footerLine(report)));
  return `${lines.join('\n')}\n`;
}

function headerLine(report: Report): string {
  const { incident } = report;
  return [
    incident.severity,
    incident.service && `service ${incident.service}`,
    `since ${incident.startsAt.replace('.000Z', 'Z')}`,
    `from ${incident.source}`,
  ]
    .filter(Boolean)
    .join(' · ');
}

function footerLine(report: Report): string {
  const { usage } = report;
  const by =
    report.mode === 'agent' ? `agent, ${usage.model ?? 'model'}, ${usage.turns} turns` : 'offline analyst, no model';
  const cost = usage.cost_usd ? ` · $${usage.cost_usd.toFixed(3)}` : '';
  const seconds = (usage.duration_ms / 1000).toFixed(1);
  return `${report.id} · by the ${by}${cost} · brief of ${usage.brief_tokens} tokens from ${usage.raw_tokens} · ${seconds} s`;
}

function actionLines(action: Report['action_plan'][number], index: number): readonly string[] {
  const approval = action.needs_approval ? ', needs approval' : '';
  return [
    ...wrap(`${index + 1}. [${action.risk}${approval}] ${action.step}`, '  ', 100),
    ...wrap(action.why, '     ', 100),
    ...(action.command === undefined ? [] : [`     $ ${action.command}`]),
    ...(action.rollback === undefined ? [] : wrap(`undo: ${action.rollback}`, '     ', 100)),
  ];
}

function citations(ids: readonly string[]): string {
  return ids.length > 0 ? `[${ids.join(', ')}]` : '';
}

/** Breaks at spaces; continuation lines are indented two further. A word longer than a line stays whole. */
function wrap(text: string, indent: string, width: number): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.trim().split(/\s+/)) {
    const next = line.trim() === '' ? `${line}${word}` : `${line} ${word}`;
    if (next.length > width && line.trim() !== '') {
      lines.push(line);
      line = `${indent}  ${word}`;
    } else {
      line = next;
    }
  }
  lines.push(line);
  return lines;
}
