import { changeNear } from './near.ts';
import { isMasked, type Mask, type RedactionPass } from './placeholder.ts';
import { isHarmlessValue, looksRandom } from './values.ts';

/** A slash, also as JSON may escape it. */
const SLASH = '\\\\{0,3}/';
/** After the scheme of an address. */
const AFTER_SCHEME = `(?<=[a-z0-9]:${SLASH}${SLASH})`;
const PORT = '(?!\\d{1,5}(?:[/?#]|$))';
/** RFC 3986 userinfo with a password. A number followed by `/` is a port. The last `@` before the host ends the password. */
const USERINFO = new RegExp(
  `${AFTER_SCHEME}([^\\s:/?#@"'<>[\\\\]{0,128}:)${PORT}([^\\s"'<>/?#\\\\]{1,512})@(?=[\\w[.$%-])`,
  'gi',
);
/** The same with a `/`, `?` or `#` that should have been escaped. */
const LOOSE_USERINFO = new RegExp(
  `${AFTER_SCHEME}([^\\s:/?#@"'<>[]{1,128}:)${PORT}([^\\s"'<>@,;]{1,256})@(?=[\\w[.-])`,
  'gi',
);
/** The same inside a query parameter: `https%3A%2F%2Fuser%3Apassword%40host`. */
const ENCODED_USERINFO =
  /(%3A%2F%2F[^\s:/?#@"'<>%]{0,128}%3A)((?:[^\s"'<>&%]|%(?!40|2F|3A)[0-9A-F]{2}){1,256})(?=%40)/gi;
/** A token in place of the user: `https://TOKEN@host`. */
const TOKEN_USER = new RegExp(`${AFTER_SCHEME}([^\\s:/?#@"'<>[\\\\]{16,512})@(?=[\\w[])`, 'gi');
const AT = /@/;
const AT_DRIVER = /@(?:tcp|unix|udp)\(/;
/** Go's MySQL form: `user:password@tcp(host)/db`. */
const GO_DSN = /(?<![\w/])([\w.-]{1,64}:)([^\s"'@/]{1,256})@(?=(?:tcp|unix|udp)\()/g;

/** Addresses that are themselves the credential: whoever knows them may post. */
const HOOK_HOSTS = [
  `hooks\\.slack(?:-gov)?\\.com${SLASH}`,
  `[\\w.-]{1,80}${SLASH}webhookb2${SLASH}`,
  `discord(?:app)?\\.com${SLASH}api(?:${SLASH}v\\d{1,2})?${SLASH}webhooks${SLASH}`,
  `hooks\\.zapier\\.com${SLASH}`,
  `maker\\.ifttt\\.com${SLASH}trigger${SLASH}`,
  `hook\\.(?:[\\w-]{1,20}\\.)?(?:make|integromat)\\.com${SLASH}`,
  `hc-ping\\.com${SLASH}`,
  `api\\.opsgenie\\.com${SLASH}v1${SLASH}json${SLASH}\\w{1,40}\\?`,
  `events\\.pagerduty\\.com${SLASH}integration${SLASH}`,
  `alert\\.victorops\\.com${SLASH}integrations${SLASH}`,
  `oapi\\.dingtalk\\.com${SLASH}robot${SLASH}send\\?`,
  `qyapi\\.weixin\\.qq\\.com${SLASH}cgi-bin${SLASH}webhook${SLASH}send\\?`,
  `open\\.(?:feishu\\.cn|larksuite\\.com)${SLASH}open-apis${SLASH}bot${SLASH}`,
];
const HOOK = new RegExp(
  `https?:${SLASH}${SLASH}(?:${HOOK_HOSTS.join('|')})(?:[^\\s"'<>)\\]},\\\\]|\\\\/){12,512}`,
  'gi',
);
/** Any other address with `hook` in it: the segments that nobody chose. */
const OTHER_HOOK = /(https?:\/\/[^\s"'<>?#]{0,200}?hooks?\w{0,8}\/)([\w./@-]{16,300})/gi;
const SEGMENT = /[\w@-]{16,200}/g;

/** Credentials in addresses: userinfo and secret paths. Query parameters are assignments. */
export const urlPass: RedactionPass = (text, mask) => {
  let redacted = text;
  if (/:\\{0,3}\/\\{0,3}\//.test(redacted)) {
    redacted = changeNear(redacted, AT, (part) => maskUserinfo(part, mask));
    if (/hook|hc-ping|ifttt|opsgenie|pagerduty|victorops|dingtalk|feishu|larksuite/i.test(redacted)) {
      redacted = maskHooks(redacted, mask);
    }
    redacted = redacted.replace(LINK, (all: string, head: string, segment: string) =>
      looksRandom(segment) ? head + mask('link', segment) : all,
    );
  }
  if (redacted.includes('%40'))
    redacted = redacted.replace(
      ENCODED_USERINFO,
      (_all, key: string, value: string) => key + masked(mask, 'password', value),
    );
  const maskDsn = (_all: string, key: string, value: string): string => `${key}${masked(mask, 'password', value)}@`;
  return changeNear(redacted, AT_DRIVER, (part) => part.replace(GO_DSN, maskDsn));
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
    .replace(TOKEN_USER, (all: string, value: string) =>
      looksRandom(value) ? `${masked(mask, 'token', value)}@` : all,
    );
}

/** Links that log in whoever opens them: `/reset-password/…`, `/invite/…`. */
const LINK =
  /(\/(?:reset|password|verify|confirm|magic|invite|activat\w{1,3}|unlock|sso|login|one-time)[\w-]{0,30}\/)([\w-]{24,300})/gi;

function maskHooks(text: string, mask: Mask): string {
  return text
    .replace(HOOK, (url) => (url.includes('[REDACTED:') ? url : mask('webhook-url', url)))
    .replace(OTHER_HOOK, (_all, head: string, path: string) => {
      const maskSegment = (segment: string): string => (looksRandom(segment) ? mask('webhook-path', segment) : segment);
      return head + path.replace(SEGMENT, maskSegment);
    });
}

function masked(mask: Mask, type: string, value: string): string {
  return isMasked(value) || isHarmlessValue(value, type) ? value : mask(type, value);
}
