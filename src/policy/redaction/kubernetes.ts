import { isMasked, type Mask, type RedactionPass } from './placeholder.ts';

const YAML_KIND = /(?:^|\n)[ \t-]{0,40}kind:[ \t]{0,4}["']?Secret\b(?!\w)/;
const JSON_KIND = /\\{0,3}"kind\\{0,3}"\s{0,4}:\s{0,4}\\{0,3}"Secret\\{0,3}"/;
const YAML_DATA = /^([ \t-]{0,40})(?:data|stringData):[ \t]{0,8}$/;
const YAML_ENTRY = /^([ \t]{0,60})(["']?[\w./-]{1,253}["']?:[ \t]{1,8})(\S.{0,100000})$/;
const JSON_DATA = /(\\{0,3}"(?:data|stringData)\\{0,3}"\s{0,8}:\s{0,8}\{)([^{}]{0,200000})(?=\})/g;
const JSON_ENTRY = /(:\s{0,8}(\\{0,3}"))((?:[^"\\]|\\[^"]){1,100000}?)(?=\\{0,3}")/g;

/** Masks the values of Kubernetes Secrets, in YAML and in JSON; keys stay. Base64 is no protection. */
export const kubernetesSecretPass: RedactionPass = (text, mask) => {
  let redacted = text;
  if (JSON_KIND.test(redacted))
    redacted = redacted.replace(JSON_DATA, (_all, head: string, map: string) => head + maskMap(map, mask));
  if (!YAML_KIND.test(redacted)) return redacted;
  return redacted
    .split(/(?<=\n)(?=---)/)
    .map((document) => (YAML_KIND.test(document) ? maskYaml(document, mask) : document))
    .join('');
};

function maskMap(map: string, mask: Mask): string {
  return map.replace(JSON_ENTRY, (all: string, head: string, _quote: string, value: string) =>
    isMasked(value) ? all : `${head}${mask('kubernetes-secret', value)}`,
  );
}

function maskYaml(document: string, mask: Mask): string {
  let dataIndent = -1;
  const lines = document.split('\n').map((line) => {
    const head = YAML_DATA.exec(line);
    if (head) {
      dataIndent = head[1]?.length ?? 0;
      return line;
    }
    const entry = dataIndent >= 0 ? YAML_ENTRY.exec(line) : null;
    const indent = /^[ \t]{0,60}/.exec(line)?.[0].length ?? 0;
    if (dataIndent >= 0 && line.trim() !== '' && indent <= dataIndent) dataIndent = -1;
    if (dataIndent < 0) return line;
    if (!entry) return line.trim() === '' ? line : maskContinuation(line, indent, mask);
    const [, space = '', key = '', value = ''] = entry;
    const isSign = /^[|>][+-]?$/.test(value);
    return isSign || isMasked(value) ? line : `${space}${key}${mask('kubernetes-secret', value)}`;
  });
  return lines.join('\n');
}

/** A further line of a block value. */
function maskContinuation(line: string, indent: number, mask: Mask): string {
  const value = line.slice(indent);
  return isMasked(value) || value.endsWith(':') ? line : line.slice(0, indent) + mask('kubernetes-secret', value);
}
