import { isMasked, type Mask, type RedactionPass } from './placeholder.ts';
import { closingQuote } from './quotes.ts';

/** A line break, real or as a JSON string has it. */
const BREAK = /(\n|\\n)/;
const YAML_KIND = /(?:^|\n|\\n)[ \t-]{0,40}kind:[ \t]{0,4}["']?Secret\b(?!\w)/;
const YAML_DOCUMENT = /(?<=\n|\\n)(?=---)/;
const YAML_DATA = /^([ \t-]{0,40})(?:data|stringData):[ \t]{0,8}$/;
const YAML_ENTRY = /^([ \t]{0,60}["']?[\w./-]{1,253}["']?:[ \t]{1,8})(\S.{0,100000})$/;
const JSON_KIND = /\\{0,3}"kind\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"Secret\\{0,3}"/;
const JSON_DATA = /(\\{0,3}"(?:data|stringData)\\{0,3}"\s{0,8}:\s{0,8}\{)([^{}]{0,200000})(?=\})/g;
const JSON_VALUE = /:\s{0,8}(\\{0,7}")/g;

/** Masks the values of Kubernetes Secrets, in YAML and in JSON; keys stay. Base64 is no protection. */
export const kubernetesSecretPass: RedactionPass = (text, mask) => {
  let redacted = text;
  if (JSON_KIND.test(redacted)) {
    redacted = redacted.replace(JSON_DATA, (_all, head: string, map: string) => head + maskMap(map, mask));
  }
  if (!YAML_KIND.test(redacted)) return redacted;
  return redacted
    .split(YAML_DOCUMENT)
    .map((document) => (YAML_KIND.test(document) ? maskYaml(document, mask) : document))
    .join('');
};

function maskMap(map: string, mask: Mask): string {
  const kept: string[] = [];
  let from = 0;
  JSON_VALUE.lastIndex = 0;
  for (let opening = JSON_VALUE.exec(map); opening; opening = JSON_VALUE.exec(map)) {
    const start = opening.index + opening[0].length;
    const end = closingQuote(map, start, opening[1] ?? '"');
    const value = map.slice(start, end);
    kept.push(map.slice(from, start), value === '' || isMasked(value) ? value : mask('kubernetes-secret', value));
    from = end;
    JSON_VALUE.lastIndex = end;
  }
  return kept.join('') + map.slice(from);
}

/** A line belongs to the data block while it is indented deeper than the block's own key. */
function maskYaml(document: string, mask: Mask): string {
  let dataIndent: number | undefined;
  const parts = document.split(BREAK).map((part, index) => {
    const isBreak = index % 2 === 1;
    if (isBreak || part.trim() === '') return part;
    const head = YAML_DATA.exec(part);
    if (head) {
      dataIndent = head[1]?.length ?? 0;
      return part;
    }
    if (dataIndent === undefined) return part;
    if (indentOf(part) <= dataIndent) {
      dataIndent = undefined;
      return part;
    }
    return maskLine(part, mask);
  });
  return parts.join('');
}

function maskLine(line: string, mask: Mask): string {
  const entry = YAML_ENTRY.exec(line);
  const head = entry?.[1] ?? line.slice(0, indentOf(line));
  const whole = entry?.[2] ?? line.slice(head.length);
  // Inside a JSON string the last line ends at the string's quote.
  const value = /^[A-Za-z0-9+/=_-]{1,100000}(?=\\{0,3}")/.exec(whole)?.[0] ?? whole;
  if (/^[|>][+-]?$|:$/.test(value) || isMasked(value)) return line;
  return head + mask('kubernetes-secret', value) + line.slice(head.length + value.length);
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length;
}
