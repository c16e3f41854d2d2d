import { isMasked, readMasked } from './placeholder.ts';

/** Words that stand where a value would and say that there is none, in messages and in type declarations. */
const EMPTY_WORDS =
  'null|nil|none|undefined|true|false|yes|no|on|off|empty|unset|blank|missing|invalid|required|optional|expired|changed|incorrect|mismatch|wrong|ok|success|failed|failure|denied|enabled|disabled|string|bytes|byte|text|varchar|char|int|integer|number|bool|boolean|object|array|any|hidden|masked|redacted|removed|filtered|sensitive|scrubbed|omitted|encrypted|secret|secrets|token|tokens|password|passwd|key|keys|credentials|unknown|provided|supplied|found|default|changeme|changeit|example|placeholder|todo|tbd|n/a|na|erforderlich|falsch|ungültig|abgelaufen|incorrecta|incorrecto|incorrect[ea]?s?|invalide|requis|obligatoria|inherit|eof|basic|bearer|digest|negotiate|ntlm|ignored|simple|opaque|include|same-origin|error|success|错误|不能为空|已过期|无效';
/** Values that say "nothing here", "hidden already" or "look there" instead of being a secret. */
const NOT_A_SECRET: readonly RegExp[] = [
  new RegExp(`^[<([{*"']{0,3}(?:${EMPTY_WORDS})[>)\\]}*"']{0,3}[,;.]?$`, 'i'),
  /^[*•●.#x_?-]{1,200}$/i,
  // Masks of other programs: `***REDACTED***`, `[FILTERED]`, `<masked:12>`, `(sensitive value)`, `(known after apply)`.
  /^[*<[({_-]{1,5}[\w :-]{0,20}(?:redacted|masked|hidden|filtered|removed|omitted|sanitized|secret|sensitive)[\w :-]{0,20}[*>\])}_-]{0,5}$/i,
  /^\((?:sensitive|known|no|not|none|empty|unset|using|hidden)(?:$|\s)|^\([a-z][a-z -]{1,30}\)$/i,
  // Variables and templates: `${X}`, `$(cmd)`, `$X`, `{{ x }}`, `%s`, `%(x)s`, `%X%`, `#{x}`, `<%= x %>`, `@x@`.
  /^\$\{[^}]{0,200}\}?$|^\$\([^)]{0,200}\)?$|^\$(?:[A-Z_][A-Z0-9_]{0,80}|[A-Za-z_]{1,60})$|^\{\{.{0,200}$|^%(?:[-+#]?[sdvqxT]|\(\w{1,60}\)s|\w{1,60}%)$|^#\{.{0,200}$|^<%.{0,200}$|^\$env:\w{1,80}$|^:\w{1,40}$|^@\w{1,60}@$|^__\w{1,60}__$/,
  /^\$\{\{.{0,200}$|^\$\{[\w.:-]{1,60}[:?-]/,
  /^<(?![a-zA-Z]{0,20}\d[a-zA-Z\d]{8,80}>$)[^<>]{1,80}>$|^\[[a-z ]{1,40}\]$/i,
  /^[\w-]{1,60}\.(?:crt|cer|der|key|pem|pub|p12|jks|json|ya?ml|txt|conf|cfg|ini|properties|env|log|gz|zip|sh|py|js|ts|go|rb|java)$/i,
  /^(?:your|my|insert|enter|replace|change|put)[-_ ]?(?:\w{1,12}[-_ ]?){0,4}(?:key|token|secret|password|here|me|value|id)(?:[-_ ]here)?$/i,
  /^[{[](?!REDACTED:)(?:["'\s{[\\}\]]|[\w-]{1,60}:|$)/,
  /^(?:file:\/\/|[.~]{1,2}\/|\/(?:run|var|etc|mnt|opt|home|app|usr|tmp|root|srv|secrets?|vault|dev|config|certs?|tls|keys?|data|proc|pki)\/)[\w./@-]{0,200}$|^\/(?:root|srv|home|tmp|app|var|opt)$|^[A-Za-z]:\\[\w\\ .-]{1,200}$/,
  /^(?:arn:aws|vault:|ref\+\w{1,20}:|op:\/\/|projects\/|secret\/|kv\/|ssm:|secretsmanager:|awskms:|gcpkms:|azurekeyvault:|keyvault:|env:|sops:)[\w:/.@+-]{0,300}$/,
  /^!(?:vault|secret|env_var|include|Ref|Sub|GetAtt|ImportValue|reference)\b/,
  /^ENC\[|^\$ANSIBLE_VAULT/,
  /^https?:\/\/[^@\s]{0,500}$|^https?$/,
  // Code: look-ups of variables and settings.
  /^(?:process\.env|os\.environ|os\.getenv|ENV|env|config|cfg|conf|secrets|vars?|local|data|module|each|settings|this|self|req|request|res|response|params|args|opts|options|props|state|ctx|context|input|event|\.Values)(?:\.|\[|\?\.|->|::)[\w.[\]"'()?>:-]{0,120}$/,
  /^(?:new |await |function|lambda|get|fetch|read|load|generate|create|make|lookup|fromEnv)[A-Z(_]\w{0,60}[({]/,
  /^[A-Za-z_$][\w$.:]{0,80}\((?:["'][\w.,:/ -]{0,100})?$/,
  /^[A-Za-z_$][\w$.:>-]{0,80}\((?:["'][\w.,:/ -]{0,100}["']?|[A-Za-z_.]{0,60})\)[;,]?$/,
];
/** Code and dumps of objects: `getToken(`, `Token{a64f992`, `android.os.BinderProxy@2bd79ce`. A password may look like that too. */
const CODE = /^[A-Za-z_$][\w$.]{0,80}(?:[({]|@[0-9a-f]{1,16}$)/;
/** The name of an object that holds a secret (`checkout-tls`, `shop/regcred`): words and short suffixes, joined as RFC 1123 has it. */
const OBJECT_NAME = /^[a-z][a-z0-9]{0,20}(?:[-/.][a-z0-9]{1,12}){1,8}$/;
/** A part of such a name that says what the object holds, so that the whole is a name even where a secret would be assigned. */
const SAYS_WHAT_IT_HOLDS =
  /(?:^|[-/.])(?:tls|certs?|ca|helm|creds?|credentials|regcred|dockercfg|registry|repo|pull|auth|secrets?|env|config|values|keys?|token|kubeconfig|htpasswd)\d{0,4}(?=[-/.]|$)/;
/** A kind of object: `SecretStore`. */
const KIND = /^(?:[A-Z][a-z]{2,14}){2,5}$/;
/** Words, versions, numbers, and the suffixes that Kubernetes makes up (no vowels: they form no words). */
const NAME_PARTS =
  /^(?:[a-z]{1,15}\d{0,2}|v\d{1,6}|\d{1,12}|[bcdfghjklmnpqrstvwxz\d]{1,10})(?:[-/.](?:[a-z]{1,15}\d{0,2}|v\d{1,6}|\d{1,12}|[bcdfghjklmnpqrstvwxz\d]{1,10})){1,8}$/;
/** Java's default name of an object. */
const OBJECT_DUMP = /^[\w.$]{1,120}@[0-9a-f]{1,16}$/;
const UUID = /^[0-9a-f]{8}-(?:[0-9a-f]{4}-){3}[0-9a-f]{12}$/i;
const DIGEST = /^(?:sha(?:1|224|256|384|512)|md5|h1)[:=-]/i;
const TIME = /^\d{4}-\d{2}-\d{2}(?:[T ]|$)|^\d{1,2}:\d{2}(?::\d{2})?/;
/** Words and numbers joined by separators (`user:582475:cart`), and numbers in hexadecimal. */
const JOINED_WORDS = /^(?:[a-z]{1,15}|[A-Z]{1,15}|\d{1,8})(?:[-_:./|](?:[a-z]{1,15}|[A-Z]{1,15}|\d{1,8})){1,20}$/;
/** … unless they are written in both cases and hold a number: that is how generators join words. */
const MIXED_WORDS = /^(?=\S{0,200}[a-z]{4})(?=\S{0,200}[A-Z]{4})(?=\S{0,200}\d{2})[\w-]{10,64}$/;
const HEX_NUMBER = /^0x[0-9a-f]{1,16}$/i;
/** `60`, `24h`, `3.5s`, `10MB`, `1.2.3`, `12/20`. */
const QUANTITY = /^[-+]?\d{1,12}(?:[.,:/]\d{1,6}){0,3}(?:\s?[a-zA-Zµ%]{1,8})?$/;
/** One word of a language, or several in camel case without a digit. */
const PLAIN_WORD = /^(?:[a-z]{1,14}|[A-Z]{1,14}|[A-Z]?[a-z]{1,14}(?:[A-Z][a-z]{1,14}){0,3})$/;
/** Names of protocols, algorithms, formats and machines that mix letters and digits. */
const TECHNICAL =
  /^(?:v?\d+(?:\.\d+)+\S{0,12}|v\d\w{0,8}|(?:sha|md|ipv|utf|base|http|oauth|x|rs|es|hs|ps|eddsa|k|win|tls|ssl|node|host|db|aes|rsa|ed|p|secp|pkcs|scram|pbkdf|argon|pod|worker|shard|replica|broker|web|app|api|srv|vm|ip|port|line|h|s|ec|m|c|t)[-_]?\d{1,5}(?:[-_./]\w{0,10})?)$/i;
const SHORTEST_RANDOM = 12;
const LONGEST_JUDGED = 512;

/** A sentence about the value, as validation errors have it: four words or more, with one that joins them. */
const SENTENCE =
  /^(?=.{0,200}\b(?:must|should|is|are|was|be|not|cannot|can't|has|have|the|for|to|too|with|at|in|of|ist|muss|nicht|est|doit|debe)\b)\p{L}[\p{L}\d'’(),.:-]{0,30}(?: [\p{L}\d'’(),.:/-]{1,30}){3,40}$/iu;

/** True when the value of a name that surely names a secret is none. `type` is the verdict's. */
export function isHarmlessValue(value: string, type: string): boolean {
  if (value.length === 0 || isMasked(value)) return true;
  if (NOT_A_SECRET.some((pattern) => pattern.test(value))) return true;
  // A sentence stays one when what it tells is masked.
  if (SENTENCE.test(readMasked(value))) return true;
  if (/^\d{1,20}$/.test(value))
    return value.length < (type === 'password' || type === 'one-time-code' || type === 'pin' ? 4 : 8);
  if (type === 'password' || type === 'one-time-code' || type === 'pin') return false;
  if (value.length < 6 || CODE.test(value) || TIME.test(value) || QUANTITY.test(value)) return true;
  if ((type === 'token' || type === 'api-key') && PLAIN_WORD.test(value)) return true;
  if (type === 'api-key' && /\d/.test(value)) return false;
  if (type === 'secret' && ((SAYS_WHAT_IT_HOLDS.test(value) && NAME_PARTS.test(value)) || KIND.test(value)))
    return true;
  return isObjectName(value) && !looksRandom(value.replaceAll(/[-/.]/g, ''));
}

/** True for the name of an object, which may look random at its end. */
export function isObjectName(value: string): boolean {
  return OBJECT_NAME.test(value) || /^\/[\w./-]{1,120}\.\w{2,6}$/.test(value);
}

/** Stricter than `looksRandom`, for values that only a blank joins to their name: `token ab12…`, but not `secret checkout-tls-4e2a`. */
export function looksLikeLooseSecret(value: string): boolean {
  return looksRandom(value) && !OBJECT_NAME.test(value) && !/[/()<>{}=]/.test(value);
}

/**
 * True for a text that somebody chose or generated as a password and that no sentence would hold otherwise: six characters or more, of
 * several kinds, and no name, number, time, address or technical term.
 */
export function looksChosen(value: string): boolean {
  if (value.length < 6 || value.length > LONGEST_JUDGED || /\s/.test(value)) return false;
  if (QUANTITY.test(value) || TIME.test(value) || TECHNICAL.test(value) || UUID.test(value)) return false;
  if (OBJECT_NAME.test(value) || HEX_NUMBER.test(value) || DIGEST.test(value)) return false;
  if (JOINED_WORDS.test(value)) return MIXED_WORDS.test(value);
  if (isHarmlessValue(value, 'password') || OBJECT_DUMP.test(value)) return false;
  if (
    /[(){}<>[\]"'`|\\,]|:\/\/|^[\w.-]{1,64}=|^[/.]|^[\w-]{1,40}\.[\w.-]{1,60}$|\w@\w{1,60}\.|^[\w.-]{1,60}:\d{1,5}$/.test(
      value,
    )
  )
    return /^[^\w\s]{0,3}\w{3,}[!#$%^&*?~+]/.test(value);
  const hasDigit = /\d/.test(value);
  const hasLetter = /\p{L}/u.test(value);
  if (hasDigit && hasLetter) return true;
  if (hasLetter && /[!#$%^&*?~+]/.test(value)) return true;
  return looksRandom(value) || (/^[A-Za-z]{8,64}$/.test(value) && mixesCase(value));
}

/** `aBcXyQ`, but neither `Capitalised` nor `camelCase` nor `ClassName`. */
function mixesCase(value: string): boolean {
  const rest = value.replace(/^[A-Z]?[a-z]{2,}/, '');
  const humps = rest.match(/[A-Z]{1,2}[a-z]{2,}/g) ?? [];
  return rest !== '' && /[a-z]/.test(value) && /[A-Z]/.test(value) && humps.join('').length < value.length / 3;
}

/** True for text that nobody would type or choose as a name: long, mixed and without repetition. Identifiers of evidence are none. */
export function looksRandom(value: string): boolean {
  if (value.length < SHORTEST_RANDOM) return false;
  if (value.length > LONGEST_JUDGED) return true;
  if (JOINED_WORDS.test(value) || HEX_NUMBER.test(value)) return false;
  if (UUID.test(value) || DIGEST.test(value) || TIME.test(value) || /\s/.test(value)) return false;
  if (!/[0-9]/.test(value) || !/[A-Za-z]/.test(value))
    return /[a-z]/.test(value) && /[A-Z]/.test(value) && entropy(value) > 4;
  return entropy(value) > 3;
}

/** Shannon entropy of the characters, bits a character. */
function entropy(value: string): number {
  const counts = new Map<string, number>();
  for (const character of value) counts.set(character, (counts.get(character) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / value.length) * Math.log2(count / value.length);
  return bits;
}
