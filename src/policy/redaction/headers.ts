import { isMasked, type Mask, type RedactionPass } from './placeholder.ts';
import { isHarmlessValue, looksRandom } from './values.ts';

/** RFC 9110 `Authorization: <scheme> <credentials>`, in header, JSON, tuple and command-line form. */
const AUTHORIZATION =
  /(authorization(?:\\{0,7}["'])?[ \t]{0,4}[:=,][ \t]{0,4}(?:\[(?!REDACTED:))?(?:\\{0,7}["'])?)((?:bearer|basic|token|apikey|api-key|ssws|negotiate|ntlm|digest|splunk|genie-?key|key|hmac-sha256|sharedkey(?:lite)?|aws|oauth|hawk|mac|aws4-hmac-sha256|[a-z][\w-]{1,24})[ \t]{1,4})?(\[REDACTED:[^\]\s]{1,60}\](?::[A-Za-z0-9+/=]{16,512})?|[^\s"',;\\\]]{1,8192})/gi;
/** A scheme and its credentials without the header's name. */
const LONE_SCHEME = /(?<![\w-])((?:bearer|basic)[ \t]{1,4})([A-Za-z0-9._~+/-]{12,8192}={0,2})/gi;
const AUTH_PARAMETER =
  /(?<![\w-])((?:response|signature|oauth_signature|oauth_token|mac|token)=(?:\\{0,7}["'])?)([A-Za-z0-9+/=_%-]{20,512})(?![\w])/gi;
/** Kubernetes' web sockets carry the token as a protocol. */
const BEARER_PROTOCOL = /(base64url\.bearer\.authorization\.k8s\.io\.)([\w-]{16,4096})/g;
/** `AWS key:signature`, `SharedKey account:signature`: the identifier is harmless, the signature is not. */
const KEYED_SIGNATURE = /^((?:\[REDACTED:[^\]\s]{1,60}\]|[\w.-]{1,64}):)([A-Za-z0-9+/=]{16,512})$/;

const COOKIES =
  /((?:set-)?cookie(?:\\{0,7}["'])?[ \t]{0,4}[:=][ \t]{0,4}(?:\[(?!REDACTED:))?(?:\\{0,7}["'])?)([^\r\n"\\]{1,8192})/gi;
const COOKIE_PAIR = /([\w.!#$%&*^`|~-]{1,80}=)((?:\[REDACTED:[^\]\s]{1,60}\]|[^;\s'[\]]){1,4096})/g;
const COOKIE_ATTRIBUTE = /^(?:expires|max-age|domain|path|samesite|priority)=$/i;
const SENSITIVE_COOKIE = /sess|sid|auth|token|jwt|csrf|xsrf|remember|login|secret/i;
/** A session in the path: `/home.do;jsessionid=…`. */
const PATH_SESSION = /(;(?:jsessionid|phpsessid|sid)=)([\w.!-]{16,128})/gi;

/** Credentials of HTTP: authorization headers in any scheme, their parameters, cookies. Headers named after a secret are assignments. */
export const headerPass: RedactionPass = (text, mask) => {
  let redacted = text;
  if (/authorization/i.test(redacted)) {
    redacted = redacted
      .replace(BEARER_PROTOCOL, (_all, key: string, value: string) => key + maskUnlessMasked(mask, 'token', value))
      .replace(AUTHORIZATION, authorization(mask));
  }
  if (/bearer|basic/i.test(redacted)) redacted = redacted.replace(LONE_SCHEME, loneScheme(mask));
  if (/response=|signature=|mac=|token=/i.test(redacted)) {
    redacted = redacted.replace(AUTH_PARAMETER, (all: string, key: string, value: string) =>
      looksRandom(value) && !isMasked(value) ? key + mask('signature', value) : all,
    );
  }
  if (/cookie/i.test(redacted)) redacted = redacted.replace(COOKIES, cookies(mask));
  if (/;(?:j|php)?s/i.test(redacted)) {
    redacted = redacted.replace(PATH_SESSION, (_all, key: string, value: string) => key + mask('session', value));
  }
  return redacted;
};

function authorization(mask: Mask) {
  return (all: string, key: string, scheme: string | undefined, value: string): string => {
    // A quoted name with a bare value: a number or an object in JSON.
    if (/["'][ \t]{0,4}[:=][ \t]{0,4}\[?$/.test(key)) return all;
    // Only a tuple has a comma between name and value, and there the name is quoted.
    if (/,[ \t]{0,4}/.test(key) && !/["'][ \t]{0,4},[ \t]{0,4}\\{0,7}["']$/.test(key)) return all;
    const type = /basic/i.test(scheme ?? '') ? 'basic-auth' : 'token';
    const keyed = scheme ? KEYED_SIGNATURE.exec(value) : null;
    if (keyed?.[2]) return `${key}${scheme}${keyed[1]}${mask('signature', keyed[2])}`;
    const isParameterList = /^[a-z_]{1,40}=/i.test(value) && !/^[A-Za-z0-9+/]{16,4096}={1,2}$/.test(value);
    return `${key}${scheme ?? ''}${isCredential(value, type, scheme) && !isParameterList ? mask(type, value) : value}`;
  };
}

const KNOWN_SCHEME = /^(?:bearer|basic|token|api-?key|ssws|negotiate|ntlm|splunk|genie-?key)\s/i;

function isCredential(value: string, type: string, scheme: string | undefined): boolean {
  if (isMasked(value) || isHarmlessValue(value, type)) return false;
  if (scheme === undefined) return !/^[a-z]{1,20}$/i.test(value);
  return KNOWN_SCHEME.test(scheme) || looksRandom(value);
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
        !isMasked(value) &&
        (SENSITIVE_COOKIE.test(name) ? !isHarmlessValue(value, 'session') : looksRandom(value));
      return isSecret ? `${name}${mask('cookie', value)}` : pair;
    });
}

function maskUnlessMasked(mask: Mask, type: string, value: string): string {
  return isMasked(value) ? value : mask(type, value);
}
