import type { Labels } from '../../../domain/labels.ts';

/** One alert as Alertmanager writes it into PagerDuty's details. */
export interface WrittenAlert {
  readonly labels: Labels;
  readonly annotations: Labels;
  readonly generatorUrl: string | undefined;
}

const MAX_ALERTS = 50;
const MAX_LINES = 5000;
const PAIR = /^ ?- ([^=]{1,200}?) = (.*)$/;

/**
 * Reads the text of Alertmanager's template `pagerduty.default.instances` (the detail `firing`): `Labels:`, `Annotations:` with a line ` - name =
 * value` each, and `Source: URL`, once an alert. Lines of another form continue the value before them. Empty for any other text.
 */
export function readAlertmanagerText(text: string): readonly WrittenAlert[] {
  const alerts: { labels: Map<string, string>; annotations: Map<string, string>; generatorUrl?: string }[] = [];
  let section: Map<string, string> | undefined;
  let last: string | undefined;
  for (const line of text.split('\n', MAX_LINES)) {
    const alert = alerts.at(-1);
    const pair = PAIR.exec(line);
    if (line.trim() === 'Labels:') {
      if (alerts.length >= MAX_ALERTS) break;
      section = new Map();
      alerts.push({ labels: section, annotations: new Map() });
    } else if (line.trim() === 'Annotations:') section = alert?.annotations;
    else if (alert && line.startsWith('Source: ')) {
      alert.generatorUrl = line.slice('Source: '.length).trim();
      section = undefined;
    } else if (section && pair) {
      last = pair[1] ?? '';
      section.set(last, pair[2] ?? '');
    } else if (section && last !== undefined && line.trim() !== '')
      section.set(last, `${section.get(last) ?? ''}\n${line}`);
  }
  return alerts.map(({ labels, annotations, generatorUrl }) => ({
    labels: Object.fromEntries(labels),
    annotations: Object.fromEntries(annotations),
    generatorUrl: generatorUrl || undefined,
  }));
}
