import { clip } from '../../policy/untrusted.ts';
import { fitOutline } from '../fit-outline.ts';
import type { Outline } from '../outline.ts';
import type { TicketPost } from '../ticket.ts';
import { writeOutline } from '../write-outline.ts';
import { toAdf, type AdfDocument } from './adf.ts';
import type { Deployment } from './api.ts';
import { wiki } from './wiki.ts';

/** Jira takes 32,767 characters in a text field, and counts what the text was converted to. */
const MAX_TEXT = 32_000;
const MAX_SUMMARY = 255;

/** One line of at most 255 UTF-16 units. A longer title stands in the description. */
export function jiraSummary({ title }: TicketPost): string {
  return clip(title, MAX_SUMMARY);
}

/** Description or comment in what the deployment takes, measured in that form. Its last line holds the marker and the subject. */
export function jiraText(post: TicketPost, deployment: Deployment): AdfDocument | string {
  const { title, marker, subjectId, from } = post;
  const isCut = title.length > MAX_SUMMARY;
  const outline = isCut ? { ...post.outline, lead: [[plainly(title)], ...post.outline.lead] } : post.outline;
  const end = `Rootnote ${marker} ${subjectId}`;
  if (deployment === 'cloud') {
    const fits = (document: AdfDocument) => JSON.stringify(document).length <= MAX_TEXT;
    return fitOutline(outline, (shortened) => toAdf(shortened, end), fits, from);
  }
  const write = (shortened: Outline) => `${writeOutline(shortened, wiki)}\n\n${end}`;
  return fitOutline(outline, write, (text) => text.length <= MAX_TEXT, from);
}

const plainly = (text: string) => ({ kind: 'plain', text }) as const;
