import { isMasked, type Mask, type RedactionPass } from './placeholder.ts';
import { isHarmlessValue, looksRandom } from './values.ts';

/** RFC 9110 `Authorization: <scheme> <credentials>`, in header, JSON and command-line form. */
const AUTHORIZATION =
  /(authorization\\{0,7}["']?[ \t]{0,4}[:=][ \t]{0,4}(?:\[(?!REDACTED:))?\\{0,7}["']?)((?:bearer|basic|token|apikey|api-key|ssws|negotiate|ntlm|digest|splunk|genie-?key|key|aws4-hmac-sha256)[ \t]{1,4})?(\[REDACTED:[^\]\s]{1,60}\]|[^\s"',;\\\]]{1,8192})/gi;
/** A scheme and its credentials without the header's name. */
const LONE_SCHEME = /(?<![\w-])((?:bearer|basic)[ \t]{1,4})([A-Za-z0-9._~+/-]{12,8192}={0,2})/gi;
const AUTH_PARAMETER =
  /(?<![\w-])((?:response|signature|oauth_signature|mac)=\\{0,7}"?)([A-Za-z0-9+/=_%-]{24,512})(?![\w])/gi;

const COOKIES = /((?:set-)?cookie\\{0,7}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,7}["']?)([^\r\n"\\]{1,8192})/gi;
const COOKIE_PAIR = /([\w.!#$%&*^`|~-]{1,80}=)([^;\s]{1,4096})/g;
const COOKIE_ATTRIBUTE = /^(?:expires|max-age|domain|path|samesite|priority)=$/i;
const SENSITIVE_COOKIE = /sess|sid|auth|token|jwt|csrf|xsrf|remember|login|secret/i;

/** RFC 3986 userinfo with a password. A number followed by `/` is a port. The last `@` before the host ends the password. */
const USERINFO =
  /([a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/?#@"'<>[]{0,128}:)(?!\d{1,5}(?:[/?#]|$))([^\s"'<>/?#]{1,512})@(?=[\w[.$-])/gi;
/** The same with a `/`, `?` or `#` that should have been escaped. */
const LOOSE_USERINFO =
  /([a-z][a-z0-9+.-]{1,30}:\/\/[^\s:/?#@"'<>[]{1,128}:)(?!\d{1,5}(?:[/?#]|$))([^\s"'<>@,;]{1,256})@(?=[\w[.-])/gi;
/** A token in place of the user: `https://TOKEN@host`. */
const TOKEN_USER = /([a-z][a-z0-9+.-]{1,30}:\/\/)([^\s:/?#@"'<>[]{20,512})@(?=[\w[])/gi;
/** Go's MySQL form: `user:password@tcp(host)/db`. */
const GO_DSN = /(?<![\w/])([\w.-]{1,64}:)([^\s"'@/]{1,256})@(?=(?:tcp|unix|udp)\()/g;

const LOGIN = /(\blogin[ \t]{1,8}[^\s"']{1,128}\s{1,8}password[ \t]{1,8})([^\s"'\\]{1,512})/gi;
/** curl's long options. */
const USER_OPTION = /((?<=\s)--(?:proxy-)?(?:user|creds|auth)[= \t]\\{0,3}["']?[\w.@-]{1,64}:)([^\s"'\\]{1,512})/g;
/** Oracle's `user/password@database`. */
const ORACLE =
  /(\b(?:(?:sqlplus|expdp|impdp|rman)[ \t]{1,4}(?:-\w{1,4}[ \t]{1,4}){0,3}|oracle:\w{1,8}:)[\w$]{1,64}\/)([^\s@"']{1,128})(?=@)/g;
/** Commands of line protocols (Redis, SMTP, IMAP, POP, FTP), also quoted as monitors print them. */
const LINE_PROTOCOL =
  /(?<![\w-])((?:AUTH|PASS|LOGIN)(?:\\{0,7}")?[ \t]{1,4}(?:(?:\\{0,7}")?[\w.@-]{1,64}(?:\\{0,7}")?[ \t]{1,4})?(?:\\{0,7}")?)([^\s"\\]{6,1024})/g;
/** `.pgpass`: host:port:database:user:password on a line of its own. */
const PGPASS =
  /((?:^|["']|\\n)[\w.*-]{1,128}:(?:\d{1,5}|\*):[^:\s"']{1,64}:[^:\s"']{1,64}:)([^\s:"'\\]{8,256})(?=$|\\|["'])/gm;
const SQL_PASSWORD =
  /(\bidentified[ \t]{1,4}(?:with[ \t]{1,4}\S{1,64}[ \t]{1,4})?by[ \t]{1,4})(['"])([^'"\n]{1,512})\2/gi;

/** Credentials with a syntax of their own: authorization headers, cookies, URL userinfo, netrc, SQL. */
export const credentialPass: RedactionPass = (text, mask) => {
  let redacted = text;
  if (/authorization/i.test(redacted)) redacted = redacted.replace(AUTHORIZATION, authorization(mask));
  if (/bearer|basic/i.test(redacted)) redacted = redacted.replace(LONE_SCHEME, loneScheme(mask));
  if (/response=|signature=|mac=/i.test(redacted))
    redacted = redacted.replace(AUTH_PARAMETER, randomOnly(mask, 'signature'));
  if (/cookie/i.test(redacted)) redacted = redacted.replace(COOKIES, cookies(mask));
  if (redacted.includes('://') && redacted.includes('@')) redacted = maskUserinfo(redacted, mask);
  if (redacted.includes('@'))
    redacted = redacted.replace(
      GO_DSN,
      (_all, key: string, value: string) => `${key}${masked(mask, 'password', value)}@`,
    );
  if (/login/i.test(redacted)) redacted = redacted.replace(LOGIN, keepKey(mask, 'password'));
  if (redacted.includes(' --')) redacted = redacted.replace(USER_OPTION, keepKey(mask, 'password'));
  redacted = redacted.replace(ORACLE, keepKey(mask, 'password'));
  if (/AUTH|PASS|LOGIN/.test(redacted)) redacted = redacted.replace(LINE_PROTOCOL, randomOnly(mask, 'password'));
  redacted = redacted.replace(PGPASS, randomOnly(mask, 'password'));
  if (/identified/i.test(redacted)) {
    redacted = redacted.replace(
      SQL_PASSWORD,
      (_all, key: string, quote: string, value: string) => `${key}${quote}${masked(mask, 'password', value)}${quote}`,
    );
  }
  return redacted;
};

function maskUserinfo(text: string, mask: Mask): string {
  const replace = (type: string) => (_all: string, key: string, value: string) => `${key}${masked(mask, type, value)}@`;
  return text
    .replace(USERINFO, replace('password'))
    .replace(LOOSE_USERINFO, (all: string, key: string, value: string) =>
      value.includes('/') || value.includes('?') || value.includes('#')
        ? `${key}${masked(mask, 'password', value)}@`
        : all,
    )
    .replace(TOKEN_USER, (all: string, key: string, value: string) =>
      looksRandom(value) ? `${key}${masked(mask, 'token', value)}@` : all,
    );
}

function authorization(mask: Mask) {
  return (all: string, key: string, scheme: string | undefined, value: string): string => {
    // A quoted name with a bare value: a number or an object in JSON.
    if (/["'][ \t]{0,4}[:=][ \t]{0,4}\[?$/.test(key)) return all;
    const type = /basic/i.test(scheme ?? '') ? 'basic-auth' : 'token';
    const isParameterList = /^(?:username|realm|credential)=/i.test(value);
    const isWord = scheme === undefined && /^[a-z]{1,20}$/i.test(value);
    const isSecret = !isHarmlessValue(value, type) && !isParameterList && !isWord;
    return `${key}${scheme ?? ''}${isSecret ? mask(type, value) : value}`;
  };
}

function loneScheme(mask: Mask) {
  return (all: string, scheme: string, value: string): string => {
    const isSecret = looksRandom(value) && !isMasked(value);
    return isSecret ? `${scheme}${mask(/basic/i.test(scheme) ? 'basic-auth' : 'token', value)}` : all;
  };
}

function cookies(mask: Mask) {
  return (_all: string, key: string, list: string): string =>
    key +
    list.replace(COOKIE_PAIR, (pair: string, name: string, value: string) => {
      const isSecret =
        !COOKIE_ATTRIBUTE.test(name) &&
        (SENSITIVE_COOKIE.test(name) ? !isHarmlessValue(value, 'session') : looksRandom(value));
      return isSecret ? `${name}${mask('cookie', value)}` : pair;
    });
}

function keepKey(mask: Mask, type: string) {
  return (_all: string, key: string, value: string): string => `${key}${masked(mask, type, value)}`;
}

/** For places where words stand as often as secrets. */
function randomOnly(mask: Mask, type: string) {
  return (all: string, key: string, value: string): string =>
    looksRandom(value) && !isMasked(value) ? key + mask(type, value) : all;
}

function masked(mask: Mask, type: string, value: string): string {
  return isHarmlessValue(value, type) ? value : mask(type, value);
}
