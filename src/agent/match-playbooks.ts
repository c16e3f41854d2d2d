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
/** A word that more descriptions hold says nothing by itself, unless it stands in a playbook's name: `down` is everywhere, and is what `target-down` is about. */
const FEW = 4;
/** What the words of a playbook's own name add, all of them. */
const NAME_WEIGHT = 0.3;
/** Below this the ranker's type is a guess that may not choose what is read. */
const SURE_OF_TYPE = 0.5;

interface Question {
  readonly words: readonly string[];
  readonly weight: number;
}

interface ShelvedWords {
  readonly entry: SkillEntry;
  readonly name: readonly string[];
  readonly words: ReadonlySet<string>;
}

/** In how many descriptions a word stands. */
type Holders = (word: string) => number;

/**
 * The playbooks that fit an incident, best first, none when none does. Pure: overlap of words, rare ones counting more, of the descriptions in the
 * catalogue with the symptom (the alert's name and summary) and with the cause (the type that the ranking is sure of), in turn.
 */
export function matchPlaybooks(
  incident: Incident,
  brief: Brief,
  catalogue: readonly SkillEntry[],
): readonly SkillEntry[] {
  const shelf = catalogue.map((entry) => {
    const name = wordsOf(entry.name);
    return { entry, name, words: new Set([...name, ...wordsOf(entry.description)]) };
  });
  const holders = countHolders(shelf);
  const bySymptom = rank(shelf, symptomOf(incident), holders);
  const byCause = rank(shelf, causeOf(brief), holders);
  const inTurn = bySymptom.concat(byCause).flatMap((_, i) => [bySymptom[i], byCause[i]]);
  return [...new Set(inTurn)].filter((entry) => entry !== undefined).slice(0, MAX_PLAYBOOKS);
}

function countHolders(shelf: readonly ShelvedWords[]): Holders {
  const counts = new Map<string, number>();
  for (const { words } of shelf) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  return (word) => counts.get(word) ?? 0;
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

function rank(shelf: readonly ShelvedWords[], questions: readonly Question[], holders: Holders): readonly SkillEntry[] {
  // A word that no description holds is the most telling, and speaks against them all.
  const rarity = (word: string) => Math.log(1 + shelf.length / (1 + holders(word)));
  const scored = shelf
    .map((shelved) => ({ entry: shelved.entry, score: scoreOf(questions, shelved, holders, rarity) }))
    .filter(({ score }) => score > 0)
    .sort((a, b) => b.score - a.score || (a.entry.name < b.entry.name ? -1 : 1));
  const best = scored[0]?.score ?? 0;
  return scored.filter(({ score }) => score >= NEARLY * best).map(({ entry }) => entry);
}

/** Sum over the questions, of which the description has to answer one with a telling word; else 0. */
function scoreOf(
  questions: readonly Question[],
  { name, words: description }: ShelvedWords,
  holders: Holders,
  rarity: (word: string) => number,
): number {
  const total = (words: readonly string[]) => words.reduce((sum, word) => sum + rarity(word), 0);
  const answers = questions.map(({ words, weight }) => {
    const found = words.filter((word) => description.has(word));
    const share = words.length === 0 ? 0 : total(found) / total(words);
    const named = name.filter((word) => found.includes(word)).length / Math.max(1, name.length);
    const isTold = share >= LEAST_COVERED && (named > 0 || found.some((word) => holders(word) <= FEW));
    return { isTold, score: weight * (share + NAME_WEIGHT * named) };
  });
  return answers.some(({ isTold }) => isTold) ? answers.reduce((sum, { score }) => sum + score, 0) : 0;
}
