import { isMasked, type RedactionPass } from './placeholder.ts';

/**
 * Stored passwords: crypt(3) and its relatives, LDAP (RFC 2307), PBKDF2, SCRAM (RFC 5803), Grub, Django, ASP.NET. A hash is not the password, but
 * a weak password is found from it in minutes, so it does not leave either. Digests of content have none of these forms.
 */
export const HASH_FORMATS: readonly (readonly [needle: RegExp, pattern: RegExp])[] = [
  [
    /\$(?:[1567y]|2[abxy]|apr1|argon2|gy|scrypt|pbkdf2|P|S|H|bcrypt|7)/,
    /(?<![\w$])\$(?:[1567y]|2[abxy]?|apr1|argon2\w{1,2}|gy|scrypt|pbkdf2[\w-]{0,10}|bcrypt[\w-]{0,10})\$[\w./+=,$-]{20,}|(?<![\w$])\$[PSH]\$[\w./]{28,60}/g,
  ],
  [/\{\w{3,12}\}/, /\{(?:S?SHA(?:256|512)?|S?MD5|CRYPT|PBKDF2[\w-]{0,10}|ARGON2)\}[\w+/.$=-]{20,300}/gi],
  [/pbkdf2|bcrypt_sha|argon2\$/, /(?<!\w)(?:pbkdf2_sha\d{1,3}|bcrypt_sha256|argon2)\$[\w.$+/=,-]{40,300}/g],
  [/SCRAM-SHA-/, /SCRAM-SHA-(?:1|256|512)\$\d{3,8}:[\w+/=]{8,64}\$[\w+/=]{20,128}:[\w+/=]{20,128}/g],
  [/grub\.pbkdf2/, /grub\.pbkdf2\.sha\d{3}\.\d{3,8}\.[0-9A-F.]{32,600}/g],
  [/scrypt:|pbkdf2:/, /(?<!\w)(?:scrypt|pbkdf2):[\w:.]{3,40}\$[\w./+=]{6,64}\$[0-9a-f]{40,200}/g],
  // PostgreSQL's and pgbouncer's md5 form, MySQL's native form: only as a quoted or listed value.
  [/md5[0-9a-f]{32}/, /(?<=["'\s:])md5[0-9a-f]{32}(?=["'\s\\]|$)/g],
  [/\*[0-9A-F]{40}/, /(?<=["'\s:|])\*[0-9A-F]{40}(?=["'\s\\|]|$)/g],
  [/:[0-9a-fA-F]{32}:{3}/, /(?<=:\d{1,6}:)[0-9a-fA-F]{32}:[0-9a-fA-F]{32}(?=:::)/g],
];

export const hashPass: RedactionPass = (text, mask) =>
  HASH_FORMATS.reduce(
    (redacted, [needle, pattern]) =>
      needle.test(redacted)
        ? redacted.replace(pattern, (hash) => (isMasked(hash) ? hash : mask('password-hash', hash)))
        : redacted,
    text,
  );
