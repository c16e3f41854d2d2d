import type { Check, Given, Note, Program, Reading, Syntax } from './grammar.ts';

/** Arguments that may run, as they are to be run, and what they read; or why they may not. */
export type Match =
  | { readonly kind: 'match'; readonly args: readonly string[]; readonly readings: readonly Reading[] }
  | { readonly kind: 'refused'; readonly why: string };

/** Judges the words behind a program's name. What the description does not list is refused. */
export function match(program: Program, words: readonly string[]): Match {
  const readings: Reading[] = [];
  try {
    const args = matchProgram(program, words, (reading) => void readings.push(reading));
    return { kind: 'match', args, readings };
  } catch (error) {
    if (!(error instanceof Mismatch)) throw error;
    return { kind: 'refused', why: error.message };
  }
}

class Mismatch extends Error {}

function insist(why: string | undefined): void {
  if (why !== undefined) throw new Mismatch(why);
}

function matchProgram(program: Program, words: readonly string[], note: Note): readonly string[] {
  if (program.reads) {
    insist(program.reads(words, note));
    return words;
  }
  if (!program.verbs) return matchSyntax(program, words, note);
  const verbAt = findVerb(program, words);
  const verb = words[verbAt];
  if (verb === undefined) {
    if (program.bare !== true) throw new Mismatch('needs a verb that only reads');
    return matchSyntax(program, words, note);
  }
  const branch = lookUp(program.verbs, verb);
  if (!branch) throw new Mismatch(`'${verb}' is not a verb that is known to only read`);
  const before = words.slice(0, verbAt);
  const rest = words.slice(verbAt + 1);
  const merged = merge(program, branch);
  if (merged.verbs) {
    matchSyntax(program, before, note);
    return [...before, verb, ...matchProgram(merged, rest, note)];
  }
  if (merged.reads) {
    matchSyntax({ ...program, operands: () => undefined, rule: () => undefined }, before, note);
    insist(merged.reads(rest, note));
    return words;
  }
  // Options in front of the verb and behind it are options of the same call.
  const args = matchSyntax(merged, [...before, ...rest], note);
  const added = args.slice(0, args.length - before.length - rest.length);
  return [...before, verb, ...added, ...rest];
}

function lookUp(table: Readonly<Record<string, Program>>, name: string): Program | undefined {
  return Object.entries(table).find(([names]) => names.split(' ').includes(name))?.[1];
}

/** The place of the first word that is neither an option nor the value of one. */
function findVerb(program: Program, words: readonly string[]): number {
  const known = table(program);
  for (let i = 0; i < words.length; i++) {
    const word = words[i] ?? '';
    if (!word.startsWith('-')) return i;
    const name = word.startsWith('--') ? word.slice(2) : word.slice(1);
    if ((known.get(name)?.values.length ?? 0) > 0) i++;
  }
  return words.length;
}

/** The verb with the options of the program. */
function merge(program: Program, verb: Program): Program {
  const { verbs: _verbs, bare: _bare, operands: _operands, ...shared } = program;
  return {
    ...shared,
    ...verb,
    letters: `${program.letters ?? ''}${verb.letters ?? ''}`,
    words: `${program.words ?? ''} ${verb.words ?? ''}`,
    values: { ...program.values, ...verb.values },
    optional: { ...program.optional, ...verb.optional },
    rule: (given) => program.rule?.(given) ?? verb.rule?.(given),
    adds: (given) => [...(program.adds?.(given) ?? []), ...(verb.adds?.(given) ?? [])],
  };
}

interface Option {
  readonly names: readonly string[];
  readonly values: readonly Check[];
  readonly attached?: Check;
  /** Known with an attached value alone. */
  readonly onlyAttached?: boolean;
}

/** Every spelling of every option. A Map: names of options are foreign text, and objects have a prototype. */
function table(syntax: Syntax): ReadonlyMap<string, Option> {
  const options: Option[] = [
    ...(syntax.letters ?? '').split('').map((letter) => ({ names: [letter], values: [] })),
    ...(syntax.words ?? '')
      .split(' ')
      .filter(Boolean)
      .map((word) => ({ names: [word], values: [] })),
    ...Object.entries(syntax.values ?? {}).map(([names, check]) => ({ names: names.split(' '), values: [check] })),
    ...Object.entries(syntax.several ?? {}).map(([names, values]) => ({ names: names.split(' '), values })),
    ...Object.entries(syntax.optional ?? {}).map(([names, attached]) => ({
      names: names.split(' '),
      values: [],
      attached,
    })),
    ...Object.entries(syntax.attached ?? {}).map(([names, attached]) => ({
      names: names.split(' '),
      values: [],
      attached,
      onlyAttached: true,
    })),
  ];
  return new Map(options.flatMap((option) => option.names.map((name) => [name, option] as const)));
}

function matchSyntax(syntax: Syntax, words: readonly string[], note: Note): readonly string[] {
  const given = readOptions(syntax, words, note);
  if (syntax.operands) insist(syntax.operands(given.operands, note, given.options));
  else if (given.operands.length > 0) throw new Mismatch(`'${given.operands[0] ?? ''}' has no place here`);
  insist(syntax.rule?.(given));
  const end = words.includes('--') ? words.indexOf('--') : words.length;
  return [
    ...(syntax.adds?.(given) ?? []),
    ...words.slice(0, end),
    ...(syntax.closes?.(given) ?? []),
    ...words.slice(end),
  ];
}

function readOptions(syntax: Syntax, words: readonly string[], note: Note): Given {
  const known = table(syntax);
  const options = new Map<string, string[]>();
  const operands: string[] = [];
  const queue = [...words];
  const take = (option: Option, checks: readonly Check[], first?: string) => {
    const values = checks.map((check, i) => {
      const value = i === 0 && first !== undefined ? first : queue.shift();
      if (value === undefined) throw new Mismatch(`option ${spell(option.names)} needs a value`);
      insist(check(value, note));
      return value;
    });
    for (const name of option.names) options.set(name, [...(options.get(name) ?? []), ...values]);
  };
  const takeBare = (option: Option, checks: readonly Check[]) => {
    if (option.onlyAttached === true) throw new Mismatch(`option ${spell(option.names)} is not known to only read`);
    take(option, checks);
  };
  const takeAttached = (option: Option, value: string) => {
    if (option.attached) take(option, [option.attached], value);
    else if (value === 'true') take(option, []);
    else throw new Mismatch(`option ${spell(option.names)} takes no value`);
  };
  const readLong = (word: string, dashes: number) => {
    const [, name = '', value] = /^([^=]*)(?:=(.*))?$/.exec(word.slice(dashes)) ?? [];
    const option = known.get(name);
    if (!option || (name.length === 1 && dashes === 2))
      throw new Mismatch(`option ${'-'.repeat(dashes)}${name} is not known to only read`);
    if (value === undefined) takeBare(option, option.values);
    else if (option.values.length > 0) take(option, option.values, value);
    else takeAttached(option, value);
  };
  const readCluster = (word: string) => {
    for (let i = 1; i < word.length; i++) {
      const option = known.get(word[i] ?? '');
      if (!option) throw new Mismatch(`option -${word[i] ?? ''} is not known to only read`);
      const rest = word.slice(i + 1);
      const value = syntax.equals === true ? rest.replace(/^=/, '') : rest;
      if (option.values.length > 0) return take(option, option.values, rest === '' ? undefined : value);
      // `-wfalse` is `-w -f alse` to programs written in Go.
      if (option.attached && rest !== '' && (option.onlyAttached !== true || rest.startsWith('=')))
        return takeAttached(option, value);
      takeBare(option, []);
    }
  };
  for (let word = queue.shift(); word !== undefined; word = queue.shift()) {
    if (word === '--') operands.push(...queue.splice(0));
    else if (word === '-' || !word.startsWith('-')) operands.push(word);
    else if (syntax.number === true && /^-\d{1,6}$/.test(word)) continue;
    else if (syntax.oneDash === true) readLong(word, word.startsWith('--') ? 2 : 1);
    else if (word.startsWith('--')) readLong(word, 2);
    else readCluster(word);
  }
  return { options, operands };
}

function spell(names: readonly string[]): string {
  return names.map((name) => (name.length === 1 ? `-${name}` : `--${name}`)).join('/');
}
