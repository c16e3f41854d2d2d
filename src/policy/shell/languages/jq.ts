import type { Check, Program } from '../grammar.ts';
import { file, many, matching, name, number, oneOf, text, sequence } from '../values.ts';

/** Filters that end and know nothing but their input: no `env`, `input_filename`, modules, definitions or endless generators. */
const FILTERS: ReadonlySet<string> = new Set(
  (
    'if then elif else end and or not as reduce foreach try catch null true false ' +
    'length utf8bytelength keys keys_unsorted values has in map map_values path paths leaf_paths del to_entries from_entries with_entries select empty error ' +
    'add any all flatten range floor ceil round sqrt pow log log2 log10 exp abs tostring tonumber toarray type nan isinfinite isnan isnormal sort ' +
    'sort_by group_by min max min_by max_by unique unique_by reverse contains inside startswith endswith ltrimstr rtrimstr trim ltrim rtrim explode ' +
    'implode split splits join ascii_downcase ascii_upcase recurse transpose first last nth limit input inputs todate fromdate now mktime gmtime ' +
    'localtime strftime strptime dateadd datesub date fromdateiso8601 todateiso8601 tojson fromjson test match capture scan sub gsub ascii index rindex ' +
    'indices walk getpath setpath delpaths tostream fromstream truncate_stream objects iterables booleans numbers normals finites strings nulls arrays ' +
    'scalars combinations bsearch'
  ).split(' '),
);

/** Why a jq filter may do more than look at its input, or undefined. Judges every name that stands outside strings and behind no dot. */
export function whyNotJq(filter: string): string | undefined {
  const code = withoutStrings(filter);
  if (code === undefined) return 'a string that does not end';
  if (/#/.test(code)) return 'a comment is not read';
  if (/\$(?:ENV|__)/.test(code)) return 'the environment is not shown';
  if (/@(?!(?:text|json|csv|tsv|html|uri|sh|base64|base64d)\b)/.test(code)) return 'a format that is not known';
  for (const found of code.matchAll(/(\.\.|::|[.$@]|)([A-Za-z_]\w*)/g)) {
    const [whole, lead = '', word = ''] = found;
    if (lead === '::' || lead === '..') return `'${whole}' is not understood`;
    if (lead === '' && !FILTERS.has(word) && !isKey(code, found.index, word))
      return `'${word}' is not a filter that is known to only look`;
  }
  return undefined;
}

/** `{name: .metadata.name, status}`: names right behind `{` or `,` of an object are keys. */
function isKey(code: string, index: number, word: string): boolean {
  const before = code.slice(0, index).trimEnd();
  const after = code.slice(index + word.length).trimStart();
  if (!/[{,]$/.test(before) || !/^[:,}]/.test(after)) return false;
  const open: string[] = [];
  for (const c of before) {
    if ('{[('.includes(c)) open.push(c);
    if ('}])'.includes(c)) open.pop();
  }
  return open.at(-1) === '{';
}

/** The filter with the text of its strings taken out, but not what is interpolated. Undefined when a string does not end. */
function withoutStrings(filter: string): string | undefined {
  let code = '';
  const open: ('string' | 'brackets')[] = [];
  for (let i = 0; i < filter.length; i++) {
    const c = filter[i] ?? '';
    if (open.at(-1) === 'string') {
      if (c === '\\' && filter[i + 1] === '(') {
        open.push('brackets');
        code += ' (';
        i++;
      } else if (c === '\\') i++;
      else if (c === '"') {
        open.pop();
        code += '""';
      }
    } else {
      if (c === '"') open.push('string');
      else code += c;
      if (c === '(') open.push('brackets');
      if (c === ')') open.pop();
    }
  }
  return open.includes('string') ? undefined : code;
}

const filter: Check = whyNotJq;

/** Neither -f, -L, --slurpfile nor --rawfile: a program is given on the line, and files are operands. */
export const jq: Program = {
  letters: 'rcesSnMCaRj',
  words:
    'raw-output compact-output exit-status slurp sort-keys null-input monochrome-output color-output ascii-output raw-input join-output tab stream seq version',
  values: { indent: matching(/^[0-7]$/, 'an indent') },
  several: { arg: [name, text], argjson: [name, text] },
  operands: sequence([filter], many(file)),
};

/** Two programs have this name; a path is a path for both. */
export const yq: Program = {
  letters: 'rMCPN',
  words: 'raw-output prettyPrint no-doc',
  values: { 'o output-format': oneOf('json yaml y j props csv tsv'), indent: number },
  operands: (words, note, options) =>
    sequence([matching(/^\.[\w.[\]"-]*$/, 'a path')], many(file))(
      words[0] === 'eval' || words[0] === 'e' ? words.slice(1) : words,
      note,
      options,
    ),
};
