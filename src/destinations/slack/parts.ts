import type { DeliveryContent } from '../../domain/delivery.ts';
import type { Report } from '../../domain/report.ts';
import { textOf, withoutLinks } from '../outline.ts';
import { factsOf, footerOf, headlineOf, storyOf, verdictOf, whyOf } from '../report-head.ts';
import { writeLine } from '../write-outline.ts';
import { MAX_FIELDS, MAX_HEADER } from './blocks.ts';
import { data, isCut, link, plain, spansWithin } from './mrkdwn.ts';

const MAX_SUMMARY = 700;
const MAX_NEWS = 600;
const MAX_FACT = 150;
const MAX_NAME = 200;

/** The headline, escaped for a header. */
export function title(content: DeliveryContent): string {
  return plain(headlineOf(content), MAX_HEADER);
}

/** The same as markup, for where there is no header. */
export function headline(content: DeliveryContent): string {
  return data(headlineOf(content), MAX_HEADER * 2);
}

/** What the reader of an edited or preliminary post has to know before the rest: what is new in it, or that more is to come. */
export function standing(content: DeliveryContent): string | undefined {
  if (content.kind === 'first-look') return '🔎 *First look, the agent is still investigating*';
  return content.kind === 'update' ? `🆕 *Update:* ${data(content.news, MAX_NEWS)}` : undefined;
}

/** How it came before, what the alert says, and the answer: cause, confidence in words and as a number, one sentence, why so sure. */
export function verdict({ report }: DeliveryContent): string {
  const { description, history } = report.incident;
  const why = whyOf(report);
  return [
    ...(history ? [data(history, 150)] : []),
    ...(description ? [`> ${data(description, 150)}`] : []),
    verdictLine(report),
    data(storyOf(report), MAX_SUMMARY),
    ...(why ? [`_${why.title}:_ ${data(why.text, 110)}`] : []),
  ]
    .filter(Boolean)
    .join('\n');
}

/** The summary, when `verdict` shows only its beginning. */
export function cutSummary({ report }: DeliveryContent): string | undefined {
  return isCut(storyOf(report), MAX_SUMMARY) ? report.summary : undefined;
}

export function verdictLine(report: Report): string {
  return writeLine(verdictOf(report), spansWithin(MAX_NAME));
}

export function factFields(content: DeliveryContent): readonly string[] {
  return factsOf(content)
    .map(({ name, value }) => `*${name}:* ${data(value, MAX_FACT)}`)
    .slice(0, MAX_FIELDS);
}

/** Where the report comes from, and the way to more. */
export function footer(content: DeliveryContent): string {
  const told = withoutLinks(footerOf(content), (href) => link(href, '') === undefined);
  return writeLine(told, spansWithin(MAX_NAME));
}

/** The report in a few plain sentences: for notifications, whose first two lines a telephone shows, and when Slack refuses the blocks. Escaped. */
export function plainText(content: DeliveryContent, max: number): string {
  const { report } = content;
  const news = standing(content)?.replaceAll('*', '');
  const isNews = content.kind === 'update';
  // That more is to come can wait; what is new cannot.
  const [first, second] = isNews ? [news, verdictWords(report)] : [verdictWords(report), news];
  const lines = [headline(content), first, second].filter((line) => line !== undefined);
  const head = `${lines.join('\n')}\n`;
  return `${head}${data(storyOf(report), max - head.length)}`.trimEnd();
}

function verdictWords(report: Report): string {
  return data(textOf(verdictOf(report)), MAX_NEWS);
}
