import type { Brief, Ranking, Suspect, TelemetryKind } from '../../domain/brief.ts';
import type { Evidence, EvidenceBook } from '../../domain/evidence.ts';
import type { Incident } from '../../domain/incident.ts';
import type { Gap } from '../../domain/telemetry.ts';
import { clip, oneLine } from '../../policy/untrusted.ts';
import type { LayerItem } from '../layers.ts';
import { estimateTokens, fitsBudget } from '../tokens.ts';
import { inWordsOfCheck } from './check-words.ts';
import { byPriority, chooseLines } from './choose-lines.ts';
import { renderSection, type Line, type Section } from './section.ts';
import { gapSection, headerSection, suspectSection, topSuspects } from './frame-sections.ts';
import { layerSections, type LayerName, type Layers, type WeighedEvidence } from './layer-sections.ts';

export interface BriefInput {
  readonly incident: Incident;
  readonly layers: Layers;
  /** Layers for which no provider returned anything. */
  readonly unread: ReadonlySet<LayerName>;
  /** Evidence that the text leaves out by rule, not for space. It gets ids, so that it can be asked for. */
  readonly background: readonly LayerItem[];
  readonly ranking: Ranking;
  /** Holds what the ranker cited; takes up the items of the layers. */
  readonly book: EvidenceBook;
  readonly gaps: readonly Gap[];
  /** See `Brief.callPath`. */
  readonly callPath: readonly string[] | undefined;
  /** See the fields of `Brief` with these names. */
  readonly kindsRead?: readonly TelemetryKind[];
  readonly trouble?: readonly string[] | undefined;
  readonly alertMetricIds?: readonly string[];
  readonly rawTokens: number;
  readonly tokenBudget: number;
}

/**
 * Writes the brief: header, suspects, one section a layer, gaps (SPEC C9). Its `estimateTokens`, counted on the assembled text, is at most
 * `tokenBudget` for any input (C8). Evidence ids are those of the book.
 */
export function writeBrief(input: BriefInput): Brief {
  const alertEvidenceId = addAlert(input);
  const weighed = weighEvidence(input);
  const sections = [
    headerSection(input.incident, alertEvidenceId, input.tokenBudget),
    suspectSection(input.ranking),
    ...layerSections(weighed, input.layers, input.unread, citedBy(input.ranking), input.incident.startsAtMs),
    gapSection(input.gaps),
  ];
  const worded = input.incident.kind === 'check' ? sections.map(inWordsOfCheck) : sections;
  for (const { key, evidence } of input.background) input.book.add(key, evidence);
  const text = assembleWithin(worded, input.tokenBudget);
  return {
    text,
    tokens: estimateTokens(text),
    rawTokens: input.rawTokens,
    ranking: input.ranking,
    evidence: input.book.all(),
    gaps: input.gaps,
    ...(input.kindsRead === undefined ? {} : { kindsRead: input.kindsRead }),
    ...(input.alertMetricIds === undefined ? {} : { alertMetricIds: input.alertMetricIds }),
    ...(input.trouble === undefined ? {} : { trouble: input.trouble }),
    ...(input.callPath === undefined ? {} : { callPath: input.callPath }),
    ...(alertEvidenceId === undefined ? {} : { alertEvidenceId }),
  };
}

/** The alert is a fact too: the symptom rests on it. It stands in the header, so no layer shows it. */
function addAlert({ incident, book }: BriefInput): string | undefined {
  if (incident.kind === 'check') return undefined;
  return book.add(`event:Alert/${incident.id}/fired`, {
    kind: 'event',
    service: incident.service,
    statement: clip(oneLine(`alert fired: ${incident.title}`), 400),
    atMs: incident.startsAtMs,
    ...(incident.link === undefined ? {} : { link: incident.link }),
  });
}

function weighEvidence({ layers, ranking, book }: BriefInput): readonly WeighedEvidence[] {
  const weighed = new Map<string, WeighedEvidence>();
  const put = (evidence: Evidence | undefined, weight: number) => {
    if (evidence && !weighed.has(evidence.id)) weighed.set(evidence.id, { evidence, weight });
  };
  for (const layer of [layers.metrics, layers.logs, layers.state, layers.traces]) {
    for (const item of layer.items) put(book.get(book.add(item.key, item.evidence)), item.weight);
  }
  for (const id of citedThoughPruned(ranking, book)) put(book.get(id), 1);
  return [...weighed.values()];
}

/**
 * A suspect may rest on what its layer pruned, such as the state of a service two calls away. Pruned events (SPEC C4, C5) come back for
 * the first suspect only.
 */
function citedThoughPruned(ranking: Ranking, book: EvidenceBook): readonly string[] {
  const [first] = topSuspects(ranking);
  const ofFirst = new Set(first ? citedForOne(first) : []);
  return citedBy(ranking).filter((id) => ofFirst.has(id) || book.get(id)?.kind !== 'event');
}

/** Most important first. */
function citedBy(ranking: Ranking): readonly string[] {
  return [...new Set(topSuspects(ranking).flatMap(citedForOne))];
}

/** What set the trouble off and what names it come before what only weighs. */
function citedForOne({ trigger, mechanism = [], reasons }: Suspect): readonly string[] {
  return [...(trigger ? [trigger] : []), ...mechanism, ...reasons].flatMap(({ evidenceIds }) => evidenceIds);
}

function assembleWithin(sections: readonly Section[], budget: number): string {
  const shown = new Set(chooseLines(sections, budget));
  let text = assemble(sections, shown);
  // Parts were counted one by one; only the whole decides. Neighbours can cost a token more together than apart.
  for (const last of byPriority(shown).toReversed()) {
    if (fitsBudget(text, budget)) return text;
    shown.delete(last);
    text = assemble(sections, shown);
  }
  return clipToBudget(text, budget);
}

function assemble(sections: readonly Section[], shown: ReadonlySet<Line>): string {
  return sections.map((section) => renderSection(section, shown)).join('\n\n');
}

/** For budgets too small for the titles alone. */
function clipToBudget(text: string, budget: number): string {
  let clipped = text;
  while (clipped && !fitsBudget(clipped, budget)) clipped = clip(clipped, Math.floor(clipped.length * 0.8));
  return clipped;
}
