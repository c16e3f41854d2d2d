import type { DeliveryContent } from '../../domain/delivery.ts';
import { clip } from '../../policy/untrusted.ts';
import { AT_A_GLANCE, fitOutline } from '../fit-outline.ts';
import { outlineOf, subjectOf } from '../outline.ts';
import { writeOutline } from '../write-outline.ts';
import { toAdf, type AdfDocument } from './adf.ts';
import type { Deployment } from './api.ts';
import { wiki } from './wiki.ts';

/** Jira takes 32,767 characters in a text field, and counts what the text was converted to. */
const MAX_TEXT = 32_000;
const MAX_SUMMARY = 255;

/** One line of at most 255 UTF-16 units. A longer title stands in the description. */
export function summaryOf({ report }: DeliveryContent): string {
  return clip(subjectOf(report), MAX_SUMMARY);
}

/** Description or comment in what the deployment takes, measured in that form. The marker is its last line. */
export function jiraText(content: DeliveryContent, marker: string, deployment: Deployment): AdfDocument | string {
  const outline = withWholeTitle(outlineOf(content), content);
  const from = content.kind === 'report' ? 0 : AT_A_GLANCE;
  const end = `Rootnote ${marker}`;
  if (deployment === 'cloud') {
    const fits = (document: AdfDocument) => JSON.stringify(document).length <= MAX_TEXT;
    return fitOutline(outline, (shortened) => toAdf(shortened, end), fits, from);
  }
  const write = (shortened: typeof outline) => `${writeOutline(shortened, wiki)}\n\n${end}`;
  return fitOutline(outline, write, (text) => text.length <= MAX_TEXT, from);
}

function withWholeTitle(outline: ReturnType<typeof outlineOf>, content: DeliveryContent): typeof outline {
  const title = subjectOf(content.report);
  if (title.length <= MAX_SUMMARY || content.kind !== 'report') return outline;
  return { ...outline, lead: [[{ kind: 'plain', text: title }], ...outline.lead] };
}
