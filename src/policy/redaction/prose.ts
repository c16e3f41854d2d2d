import { PASSWORD_WORDS } from './names.ts';
import { isMasked, PLACEHOLDER_START, type Mask, type RedactionPass } from './placeholder.ts';
import { looksChosen } from './values.ts';

/**
 * Secrets in sentences: "the password for user bob is …", "password reset to …", "Das Passwort lautet …", "your verification code is …".
 * Several words may stand between the noun and the value, so the value has to be one that no sentence holds.
 */
const isLatin1 = (word: string): boolean => /^[\x20-\xff]+$/.test(word);
const PASSWORDS = PASSWORD_WORDS.split('|');
const NOUN = `${PASSWORDS.filter(isLatin1).join('|')}|mot de passe|(?:api|access|secret|private|signing|encryption|unseal|master|license|recovery|shared)[ _-]?(?:key|token|secret)|(?:einmal|initial|start|standard|admin|benutzer|root|datenbank|zugangs|master|wlan)(?:passwort|kennwort)|(?<!(?:continue|continuation|page|next|resume|sync|delta|fencing)[ ])token|secret(?:[ \\t]value)?|credentials?|pass|pwd|clave`;
/** Letters beyond Latin-1 have patterns of their own: they make one several times slower, whatever the text. */
const OTHER_NOUN = PASSWORDS.filter((word) => !isLatin1(word)).join('|');
const BORDER = '(?<![A-Za-zÀ-ÿ0-9_/:.-])';
const CODE_NOUN =
  '(?:verification|security|login|log-in|sign-in|one[- ]time|confirmation|auth(?:entication|orization)?|2fa|mfa|otp|recovery|backup|pairing|access|reset|activation)[ -](?:pass)?codes?|one[- ]time (?:password|pin)|(?:otp|pin|passcode)(?=[ \\t]{1,2}(?:is|was|for)[ \\t]|[ \\t]{0,2}[:=])';
const BE = 'is|was|are|be|has been|will be|ist|lautet|war|est|es|era|é|è|jest|är|er|on';
const DONE =
  'now|set|reset|generated|changed|updated|created|rotated|provided|given|auto-generated|temporarily|still|currently|used|supplied|entered|found|leaked|exposed|gesetzt|geändert';
/** A name of whom it belongs to; the nouns before such a name are no names themselves. */
const OWNER =
  '(?:for|of|to|für|von|pour|de|para|per)[ \\t]{1,2}(?:the[ \\t]{1,2})?(?:(?:user|account|role|key|kid|id|login|service|database|host|admin)[ \\t]{1,2})?(?!(?:user|account|role|key|kid|id|login|service|database|host|admin|the)[ \\t])["\'`]?[\\w.@/:~-]{1,80}["\'`]?';
const VALUE = '([^\\s"\'`\\\\,;<>()\\[\\]]{4,256})';
const QUOTE = '(?:\\\\{0,3}["\'`])?';

const SENTENCE = new RegExp(
  `(${BORDER}(?:${NOUN})(?:[ \\t]{1,2}(?:\\d{1,2}|temporaire|provisoire|temporal|inicial|provvisoria))?` +
    `(?:[ \\t]{1,2}${OWNER})?(?:[ \\t]{1,2}(?:${BE}))?(?:[ \\t]{1,2}(?:${DONE})){0,2}(?:[ \\t]{1,2}${OWNER})?(?:[ \\t]{1,2}(?:from|to|as|auf|with|à|a))?` +
    `[ \\t]{0,2}[:=]?[ \\t]{1,4}${QUOTE})${VALUE}`,
  'gi',
);
/** Chinese, Japanese and Korean put no blank between words, and a wide colon. */
const OTHER_SENTENCE = new RegExp(
  `((?:${OTHER_NOUN})(?:是|为|為|は|、|는|은)?(?:[ \\t]{0,2}[:：=]?[ \\t]{1,4}|[ \\t]{0,2}(?:：|(?<=[是为為は는은]))[ \\t]{0,4})${QUOTE})${VALUE}`,
  'gi',
);
const ANY_OTHER_NOUN = new RegExp(OTHER_NOUN, 'i');
const CODE_SENTENCE = new RegExp(
  `(${BORDER}(?:${CODE_NOUN})(?:[ \\t]{1,2}${OWNER})?(?:[ \\t]{1,2}(?:${BE}))?[ \\t]{0,2}[:=]?[ \\t]{1,4}["'\`]?)(\\d{4,10}|\\d{3}[- ]\\d{3}|(?=[A-Z-]{0,10}\\d)[A-Z0-9]{4,6}-?[A-Z0-9]{2,6})(?![\\w-])`,
  'gi',
);
/** "… is your verification code": the value comes first. */
const CODE_FIRST =
  /(?<![\w.:/-])(\d{4,8}|[A-Z]{1,2}-\d{4,8})([ \t]{1,2}(?:is|ist)[ \t]{1,2}(?:your|the|ihr)[ \t]{1,2}(?:[\w-]{1,20}[ \t]{1,2}){0,3}(?:code|otp|pin|password)\b)/gi;
/** A name of several words, which only a verb ends: "the password for the built-in superuser is …". */
const LONG_SENTENCE = new RegExp(
  `(${BORDER}(?:${NOUN})[ \\t]{1,2}(?:for|of)[ \\t]{1,2}(?:[\\w.@/~-]{1,64}[ \\t]{1,2}){1,6}(?:is|was|has been|lautet|ist)[ \\t]{0,2}:?[ \\t]{1,4}${QUOTE})${VALUE}`,
  'gi',
);
/** "Use the following password to proceed:" and then the value, alone on a line below. */
const FOLLOWING =
  /((?:following|this|your|new|temporary|initial|generated)[ \t](?:\w{1,20}[ \t]){0,2}(?:password|token|secret|key|code)\b[^\n:\\]{0,80}:[ \t]{0,4}(?:\r?\n|\\r\\n|\\n){1,3}[ \t]{0,8})([^\s"'\\]{6,256})(?=[ \t]{0,4}(?:$|\r?\n|\\))/gim;
/** "credentials: admin / …", "login with admin:…". */
const PAIR =
  /((?:credentials?|creds|log(?:ged)?[ -]?in|authenticat\w{1,3}|zugangsdaten)(?:[ \t]{1,2}(?:are|with|as|using|is|for))?[ \t]{0,2}[:=]?[ \t]{1,4}["'`]?(?!(?:failed|failure|error|denied|required|expired|invalid)\b)[\w.@-]{1,64}[ \t]{0,2}[/:|][ \t]{0,2})([^\s"'`\\,;<>()[\]]{6,128})/gi;

/** "changed from … to …": the second value, once the first is masked. */
const CHANGED_TO = new RegExp(
  `(\\bfrom[ \\t]{1,2}${QUOTE}\\[REDACTED:[a-z-]{1,40}:[0-9a-f]{4}\\]${QUOTE}[ \\t]{1,2}to[ \\t]{1,2}${QUOTE})${VALUE}`,
  'g',
);

const ANY_NOUN = new RegExp(`${NOUN}|key|code|pin|otp|login|zugangsdaten`, 'i');

const SENTENCES = [SENTENCE, LONG_SENTENCE, FOLLOWING, PAIR, CHANGED_TO];

export const prosePass: RedactionPass = (text, mask) => {
  const mayBeOther = ANY_OTHER_NOUN.test(text);
  if (!mayBeOther && !ANY_NOUN.test(text)) return text;
  const sentences = mayBeOther ? [OTHER_SENTENCE, ...SENTENCES] : SENTENCES;
  return sentences
    .reduce((current, pattern) => maskChosen(current, pattern, mask), text)
    .replace(CODE_SENTENCE, (all: string, head: string, value: string) =>
      /^pin/i.test(head) && /[a-z]/i.test(value) ? all : head + mask('one-time-code', value),
    )
    .replace(CODE_FIRST, (_all, value: string, tail: string) => mask('one-time-code', value) + tail);
};

/** Masks the values that look chosen. A sentence without one is left at its first word: another may begin inside it. */
function maskChosen(text: string, pattern: RegExp, mask: Mask): string {
  const kept: string[] = [];
  let from = 0;
  pattern.lastIndex = 0;
  for (let found = pattern.exec(text); found; found = pattern.exec(text)) {
    const [, head = '', value = ''] = found;
    const bare = value.replace(/[.!?:]{1,3}$/, '');
    if (isMasked(bare) || bare.includes(PLACEHOLDER_START) || !looksChosen(bare)) {
      pattern.lastIndex = found.index + 2;
      continue;
    }
    const start = found.index + head.length;
    kept.push(text.slice(from, start), mask('password', bare));
    from = start + bare.length;
    pattern.lastIndex = from;
  }
  return from === 0 ? text : kept.join('') + text.slice(from);
}
