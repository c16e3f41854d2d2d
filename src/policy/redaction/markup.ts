import { judgeName } from './names.ts';
import { isMasked, type Mask, type RedactionPass } from './placeholder.ts';
import { isHarmlessValue, looksChosen, looksRandom } from './values.ts';

/** An opening tag with its attributes and the text that follows. */
const TAG =
  /<([A-Za-z][\w:.-]{0,60})((?:\s{1,20}[\w:.-]{1,60}\s{0,4}=\s{0,4}\\{0,3}(?:"[^"<>]{0,4096}"|'[^'<>]{0,4096}')){1,16})\s{0,8}(?:\/>|>(?:([^<]{1,4096})(?=<\\?\/))?)/g;
const ATTRIBUTE = /([\w:.-]{1,60})(\s{0,4}=\s{0,4}\\{0,3}["'])([^"'<>\\]{0,4096})/g;
const NAMES = /^(?:name|key|id|property|itemprop|field)$/i;
const VALUES = /^(?:value|content|data)$/i;
/** The value before its name: `{"value":"…","name":"API_TOKEN"}`, `- value: …\n  name: API_TOKEN`. */
const REVERSED =
  /((?<![\w-])value\\{0,7}["']?[ \t]{0,4}[:=][ \t]{0,4})(\\{0,7}["']|)([^\s"'\\,{}]{1,4096})(\\{0,7}["']?[ \t]{0,4},?(?:\s|\\n){0,40}\\{0,7}["']?(?:name|key)\\{0,7}["']?[ \t]{0,4}[:=][ \t]{0,4}\\{0,7}["']?)([\w.-]{1,128})/gi;
/** XML-DSig and SAML: whoever holds the signed assertion is logged in. */
const SIGNATURE_VALUE =
  /(<(?:\w{1,12}:)?(?:SignatureValue|CipherValue|BinarySecurityToken)(?:\s[^<>]{0,400})?>)([^<]{16,8192})/g;

/** Values whose name stands in another attribute or field of the same element: XML, HTML, property lists, environment lists. */
export const markupPass: RedactionPass = (text, mask) => {
  let redacted = text;
  if (redacted.includes('</') || redacted.includes('>')) {
    redacted = redacted
      .replace(TAG, tag(mask))
      .replace(SIGNATURE_VALUE, (all: string, head: string, value: string) =>
        isMasked(value) ? all : head + mask('signature', value),
      );
  }
  if (!/value/i.test(redacted)) return redacted;
  return redacted.replace(
    REVERSED,
    (all: string, head: string, quote: string, value: string, between: string, name: string) =>
      isSecretNamed(name, value) ? `${head}${quote}${mask('secret', value)}${between}${name}` : all,
  );
};

function tag(mask: Mask) {
  return (all: string, _element: string, attributes: string, content = ''): string => {
    const name = [...attributes.matchAll(ATTRIBUTE)].find(
      ([, key, , value]) => NAMES.test(key ?? '') && judgeName(value ?? ''),
    )?.[3];
    if (name === undefined) return all;
    const masked = attributes.replace(ATTRIBUTE, (attribute: string, key: string, between: string, value: string) =>
      VALUES.test(key) && isSecretNamed(name, value) ? `${key}${between}${mask('secret', value)}` : attribute,
    );
    const inner = content.trim();
    const isText = isSecretNamed(name, inner) && (looksChosen(inner) || looksRandom(inner) || !/\s/.test(inner));
    const head = all.slice(0, all.length - content.length).replace(attributes, () => masked);
    return head + (isText ? content.replace(inner, () => mask('secret', inner)) : content);
  };
}

function isSecretNamed(name: string, value: string): boolean {
  const verdict = judgeName(name);
  if (!verdict || isMasked(value) || isHarmlessValue(value, verdict.type)) return false;
  return verdict.strength === 'strong' || looksRandom(value);
}
