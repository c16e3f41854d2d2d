import type { Check, Program } from '../grammar.ts';
import { file, many, matching, sequence } from '../values.ts';
import { whyNotAwk } from './awk-program.ts';

const assignment: Check = matching(
  /^(?!(?:ARGV|ARGC|ENVIRON|PROCINFO|SYMTAB|FUNCTAB)=)[A-Za-z_]\w*=.*$/,
  'an assignment NAME=VALUE',
);

/** gawk opens a connection for `/inet/tcp/0/host/port`. */
const localFile: Check = (value, note) =>
  /^[/.]*\/inet[46]?\//.test(value) ? `'${value}' is a connection` : file(value, note);

/** Neither -f, -i, -l, -o, -p, -d nor -E: the program stands on the line, and nothing else is loaded or written. */
export const awk: Program = {
  words: 'version',
  values: { 'F field-separator': matching(/^.{1,40}$/, 'a separator'), 'v assign': assignment },
  operands: sequence([whyNotAwk], many(localFile)),
};
