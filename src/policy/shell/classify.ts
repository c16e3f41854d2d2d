import type { Reading } from './grammar.ts';
import { match } from './match.ts';
import { parseLine, RefusedForm, type Pipeline, type SimpleCommand } from './parse.ts';
import { PROGRAMS } from './programs/index.ts';
import { labelRisk, type RefusedClass } from './risk.ts';

/** One process: a name of the table and its arguments, word by word. Its output goes to the next stage of the step, to the answer or nowhere. */
export interface Stage {
  readonly program: string;
  readonly args: readonly string[];
  readonly stdout: SimpleCommand['stdout'];
  readonly stderr: SimpleCommand['stderr'];
}

/** Stages joined by pipes. */
export interface Step {
  readonly when: Pipeline['when'];
  readonly stages: readonly Stage[];
}

/** What is to be run. The real paths behind `readings` have to pass `whyNotRead`, too, when it runs. */
export interface Plan {
  readonly steps: readonly Step[];
  readonly readings: readonly Reading[];
}

/** `allowed` and class R0 are the same: only what is known to read runs (SPEC B17). */
export type Verdict =
  | { readonly class: 'R0'; readonly allowed: true; readonly reason: string; readonly plan: Plan }
  | { readonly class: RefusedClass; readonly allowed: false; readonly reason: string };

/**
 * The gate: what a command line is, and how it may run. Pure, and total: every string has a verdict. A line is allowed when its form is plain (`parseLine`),
 * each program is in the table and each argument in the program's grammar; anything unknown is R2. The class of a refused line is the highest of its parts.
 */
export function classifyCommand(line: string): Verdict {
  try {
    return judge(parseLine(line));
  } catch (error) {
    if (error instanceof RefusedProgram) return refused(line, error.message);
    if (!(error instanceof RefusedForm)) throw error;
    // What a shell would make of such a line is not known: it is no lower than unknown.
    const verdict = refused(line, error.message);
    return verdict.class === 'R1' ? { ...verdict, class: 'R2' } : verdict;
  }
}

/** Throws RefusedProgram. */
function judge(pipelines: readonly Pipeline[]): Verdict {
  const plans = pipelines.map(({ when, commands }) => ({ when, parts: commands.map(planCommand) }));
  const steps = plans.map(({ when, parts }) => ({ when, stages: parts.flatMap(({ stages }) => stages) }));
  const readings = plans.flatMap(({ parts }) => parts.flatMap((part) => part.readings));
  const names = [...new Set(pipelines.flatMap(({ commands }) => commands.map(({ words }) => words[0] ?? '')))];
  return { class: 'R0', allowed: true, reason: `reads only: ${names.join(', ')}`, plan: { steps, readings } };
}

/** A program or an argument that is not known to only read. */
class RefusedProgram extends Error {}

function refused(line: string, why: string): Verdict & { readonly allowed: false } {
  const { risk, part } = labelRisk(line);
  const named = part === undefined ? '' : ` (${risk} for '${part}')`;
  return { class: risk, allowed: false, reason: `${why}${named}` };
}

function planCommand(command: SimpleCommand): {
  readonly stages: readonly Stage[];
  readonly readings: readonly Reading[];
} {
  const [name = '', ...words] = command.words;
  const program = PROGRAMS.get(name);
  if (!program) throw new RefusedProgram(`${quote(name)} is not a program that is known to only read`);
  const found = isAboutItself(words) ? ITSELF : match(program, words);
  if (found.kind === 'refused') throw new RefusedProgram(`${name}: ${found.why}`);
  const { readings } = found;
  const [real, ...leading] = program.runs ?? [name];
  const stage = { program: real, args: [...leading, ...found.args], stdout: command.stdout, stderr: command.stderr };
  return { stages: program.unpacks === true ? unpacking(stage, readings[0]?.path) : [stage], readings };
}

const ITSELF = { kind: 'match', args: ['--version'], readings: [] } as const;

/** `--version` alone: every program of the table answers it or complains. */
function isAboutItself(words: readonly string[]): boolean {
  return words.length === 1 && words[0] === '--version';
}

/** `zgrep PATTERN FILE` without the script of that name: `gzip -cdfq FILE | grep PATTERN`. */
function unpacking(stage: Stage, path: string | undefined): readonly Stage[] {
  const unpack: Stage = {
    program: 'gzip',
    args: ['-cdfq', ...(path === undefined ? [] : ['--', path])],
    stdout: 'next',
    stderr: stage.stderr,
  };
  const at = path === undefined ? -1 : stage.args.lastIndexOf(path);
  return [unpack, { ...stage, program: 'grep', args: stage.args.filter((_, i) => i !== at) }];
}

function quote(name: string): string {
  return `'${name.slice(0, 60)}'`;
}
