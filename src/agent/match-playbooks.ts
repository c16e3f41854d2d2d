import type { Brief } from '../domain/brief.ts';
import type { Incident } from '../domain/incident.ts';
import type { SkillEntry } from './toolbox.ts';
import { wordsOf } from './words.ts';

/** Offered by name: more would be a list to read, not a hint. */
const MAX_PLAYBOOKS = 3;
/** Of the words of a question, by rarity, so much must stand in a description. None is better than a wrong one. */
const LEAST_COVERED = 0.55;
/** A further playbook is offered when it is nearly as good as the best. */
const NEARLY = 0.75;
/** Below this the ranker's type is a guess that may not choose what is read. */
const SURE_OF_TYPE = 0.5;

interface Question {
  readonly words: readonly string[];
  readonly weight: number;
}

interface ShelvedWords {
  readonly entry: SkillEntry;
  readonly words: ReadonlySet<string>;
}

/**
 * The playbooks that fit an incident, best first, none when none does. Pure: overlap of words, rare ones counting more, of the descriptions in the
 * catalogue with the symptom (the alert's name and summary) and with the cause (the type that the ranking is sure of), in turn.
 */
export function matchPlaybooks(
  incident: Incident,
  brief: Brief,
  catalogue: readonly SkillEntry[],
): readonly SkillEntry[] {
  const shelf = catalogue.map((entry) => ({ entry, words: new Set(wordsOf(`${entry.name} ${entry.description}`)) }));
  const rarity = rarityIn(shelf.map(({ words }) => words));
  const bySymptom = rank(shelf, symptomOf(incident), rarity);
  const byCause = rank(shelf, causeOf(brief), rarity);
  const inTurn = bySymptom.concat(byCause).flatMap((_, i) => [bySymptom[i], byCause[i]]);
  return [...new Set(inTurn)].filter((entry) => entry !== undefined).slice(0, MAX_PLAYBOOKS);
}

/** How telling a word is: log of how few descriptions hold it; one that none holds is the most telling, and speaks against them all. */
function rarityIn(descriptions: readonly ReadonlySet<string>[]): (word: string) => number {
  const holders = new Map<string, number>();
  for (const words of descriptions) for (const word of words) holders.set(word, (holders.get(word) ?? 0) + 1);
  return (word) => Math.log(1 + descriptions.length / (1 + (holders.get(word) ?? 0)));
}

/** Without the names of the incident's own things: a service called backup has no failing backup. */
function symptomOf({ labels, annotations, service = '', title }: Incident): readonly Question[] {
  const name = labels['alertname'] ?? title;
  const named = new Set([service, ...Object.values(labels)].filter((value) => value !== name).flatMap(wordsOf));
  const question = (text: string, weight: number) => ({
    words: wordsOf(text).filter((word) => !named.has(word)),
    weight,
  });
  return [question(name, 1), question(annotations['summary'] ?? annotations['description'] ?? '', 0.6)];
}

function causeOf({ ranking: { confidence, suspects } }: Brief): readonly Question[] {
  const type = confidence >= SURE_OF_TYPE ? (suspects[0]?.rootCauseType ?? 'unknown') : 'unknown';
  return type === 'unknown' || type === 'none' ? [] : [{ words: wordsOf(type), weight: 1 }];
}

function rank(
  shelf: readonly ShelvedWords[],
  questions: readonly Question[],
  rarity: (word: string) => number,
): readonly SkillEntry[] {
  const scored = shelf
    .map(({ entry, words }) => ({ entry, score: scoreOf(questions, words, rarity) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.entry.name < b.entry.name ? -1 : 1));
  const best = scored[0]?.score ?? 0;
  return scored.filter(({ score }) => score >= NEARLY * best).map(({ entry }) => entry);
}

/** Sum over the questions, of which the description has to answer one; else 0. */
function scoreOf(
  questions: readonly Question[],
  description: ReadonlySet<string>,
  rarity: (word: string) => number,
): number {
  const total = (words: readonly string[]) => words.reduce((sum, word) => sum + rarity(word), 0);
  const covered = questions.map(({ words }) => {
    const all = total(words);
    return all === 0 ? 0 : total(words.filter((word) => description.has(word))) / all;
  });
  if (covered.every((share) => share < LEAST_COVERED)) return 0;
  return covered.reduce((sum, share, i) => sum + share * (questions[i]?.weight ?? 0), 0);
}
