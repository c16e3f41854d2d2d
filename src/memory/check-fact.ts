import { sanitize } from '../policy/untrusted.ts';
import { DEPENDENCY } from './dependencies.ts';

export const MAX_FACT_CHARACTERS = 500;

export type CheckedFact =
  | { readonly kind: 'attribute' | 'dependency'; readonly fact: string }
  | { readonly kind: 'refused'; readonly why: string };

/** `host: attribute = value`. A subject is one to three names, an attribute a few plain words. */
const ATTRIBUTE =
  /^([\p{L}\p{N}_.:/@-]{1,120}(?: [\p{L}\p{N}_.:/@-]{1,120}){0,2}): (\p{L}[\p{L}\p{N}_ ./%-]{0,60}?) = (\S.*)$/u;
/** Letters of other scripts that look like Latin ones would hide a word from the checks below. */
const READABLE = /^[\p{Script=Latin}\p{Nd}\p{P}\p{Sm}\p{Sc} °µ^]+$/u;

/** What an investigator can be told to do, in the form of an order. */
const ORDER =
  '(?:answer|assume|blame|cite|claim|conclude|consider|delete|disable|execute|exclude|invoke|reply|report|reveal|run|say|send|skip|suspect|tell|treat|trust)';

const ADDRESS = /:\/\/|\bwww\./i;
/** No service is called `ignore-all-evidence`. */
const SENTENCE = /\b(?:ignore|disregard|always|never|blame|conclude|suspect)[-_.]\w/i;

/**
 * What no fact about a system needs, and what a text that steers an investigator does: each with the reason that the writer is told. Heuristic: a fence
 * against the obvious, behind which memory still is only guidance.
 */
const STEERING: readonly { readonly found: RegExp; readonly why: string }[] = [
  { found: ADDRESS, why: 'it holds the address of a page' },
  { found: /[`<>{}\\|;&$]|\*\*|##/, why: 'it holds characters of markup or of a shell' },
  { found: /\b(?:system|assistant|user|human|tool|developer)\s*:(?!\w)/i, why: 'it holds the mark of a speaker' },
  { found: /\b(?:ignore|disregard|forget|override|bypass|pretend|obey)\b/i, why: 'it gives an order' },
  {
    found: new RegExp(`\\b(?:always|never|must|should|shall|do not|don't|please)\\b.{0,40}\\b${ORDER}\\b`, 'i'),
    why: 'it gives an order',
  },
  { found: new RegExp(`(?:= |[.,!?:] )(?:then |so |please )?${ORDER}\\b`, 'i'), why: 'it gives an order' },
  { found: new RegExp(` / ${ORDER} = `, 'i'), why: 'it gives an order' },
  { found: /\b(?:instructions?|prompts?|jailbreak)\b/i, why: 'it speaks of instructions' },
  {
    found:
      /\b(?:evidence|findings?|investigat\w+|tool[ _-]?(?:calls?|results?)|redact\w*|(?:end|start) of (?:memory|data|context))\b/i,
    why: 'it speaks of investigations and not of a system',
  },
  { found: /\b(?:outranks?|overrules?|supersedes?)\b/i, why: 'it ranks what is known' },
  {
    found:
      /\b(?:metrics?|logs?|traces?|telemetry|alerts?)\b[^.]{0,30}\b(?:fake|wrong|unreliable|invented|meaningless)\b/i,
    why: 'it says what not to believe',
  },
  {
    found:
      /\b(?:false (?:positives?|alarms?)|harmless|(?:not |ir)relevant|no need|nothing to|close (?:all|every|it|them|without))\b/i,
    why: 'it says what not to look at',
  },
  {
    found: / \/ (?:(?:next|first|last) )?(?:fix|remedy|solution|step|action|answer|guidance|advice|rule)s? = /i,
    why: 'it gives advice',
  },
  { found: /\byou(?:r|rs|'re)?\b/i, why: 'it speaks to its reader' },
  {
    found:
      /\b(?:causes?|caused|due to|at fault|(?:usual|likely|real|main) reason|root[ _-]?causes?|conclusions?|confidence|verdicts?|culprits?|hypothes[ie]s|to blame|innocent)\b/i,
    why: 'it gives a verdict: memory keeps how systems are, reports keep what went wrong',
  },
  { found: /[\w+/=-]{80,}/, why: 'it holds a long word that no name is' },
  { found: /(?:^| )(?:\w[ ._-]){5}/, why: 'it spells a word' },
  { found: /\]\(/, why: 'it holds characters of markup or of a shell' },
];

/** Letters that change their case all the time are no name, but an encoded text. */
function isEncoded(word: string): boolean {
  const letters = word.replace(/[^A-Za-z]/g, '');
  const changes = letters.match(/[a-z](?=[A-Z])|[A-Z](?=[a-z])/g)?.length ?? 0;
  return letters.length >= 20 && changes / letters.length > 0.3;
}

const FORM =
  'write `subject: attribute = value` or `X depends_on Y`, in one line, about how a system always is and not how it is just now';

/** Whether a text may be kept as a fact. Pure; redaction is the caller's. */
export function checkFact(text: string): CheckedFact {
  const fact = text.trim();
  if (fact === '') return refused('it is empty');
  if (fact.length > MAX_FACT_CHARACTERS)
    return refused(`it has more than ${MAX_FACT_CHARACTERS} characters: be shorter`);
  // eslint-disable-next-line no-control-regex
  if (/[\u0000-\u001f\u007f]/.test(fact) || sanitize(fact) !== fact)
    return refused('it holds line breaks or characters that nobody can see');
  if (fact.normalize('NFKC') !== fact || !READABLE.test(fact))
    return refused('it holds letters that can be taken for others: use plain Latin ones');
  if (DEPENDENCY.test(fact) && !ADDRESS.test(fact) && !SENTENCE.test(fact)) return { kind: 'dependency', fact };
  const [, subject = '', attribute = '', value = ''] = ATTRIBUTE.exec(fact) ?? [];
  if (!value) return refused(`it has not the form of a fact: ${FORM}`);
  if (fact.split(' ').some(isEncoded)) return refused('it holds an encoded text');
  const steering = STEERING.find(({ found }) => found.test(`${subject} / ${attribute} = ${value}`));
  return steering ? refused(`${steering.why}: ${FORM}`) : { kind: 'attribute', fact };
}

function refused(why: string): CheckedFact {
  return { kind: 'refused', why };
}
