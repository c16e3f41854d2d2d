import { parse, type Command, type CommandNode, type Redirection, type Statement } from 'unbash';
import { dequote } from './words.ts';

/** One program of a line, as words without quotes. */
export interface SimpleCommand {
  readonly words: readonly string[];
  /** `null`: thrown away; `stdout` (of stderr): goes where standard output goes at this place of the line. */
  readonly stdout: 'next' | 'null';
  readonly stderr: 'kept' | 'null' | 'next';
}

/** Programs joined by pipes, and when they run: always, or depending on how the pipeline before them ended. */
export interface Pipeline {
  readonly when: 'always' | 'success' | 'failure';
  readonly commands: readonly SimpleCommand[];
}

/** A form that is refused; the message says which and, where there is one, the way to say it without. */
export class RefusedForm extends Error {
  override readonly name = 'RefusedForm';
}

export const MAX_COMMAND_CHARACTERS = 2000;
const PRINTABLE = /^[\x20-\x7e]*$/;

/**
 * Reads a command line as the list of pipelines it stands for. Throws RefusedForm for everything but simple commands joined by `|`, `&&`, `||` and `;`
 * with the three redirections to nowhere: no expansion, substitution, assignment, group, loop, background or comment gets past here, so that what a
 * shell would make of the line and what we make of it are the same words.
 */
export function parseLine(line: string): readonly Pipeline[] {
  if (line.length > MAX_COMMAND_CHARACTERS) refuse(`longer than ${MAX_COMMAND_CHARACTERS} characters`);
  if (!PRINTABLE.test(line)) refuse('holds a character that is not printable ASCII; write one line of plain text');
  const script = parse(line);
  const [error] = script.errors ?? [];
  if (error) refuse(`cannot be parsed: ${error.message}`);
  if (script.shebang !== undefined || script.commands.length === 0) refuse('holds no command');
  const pipelines = script.commands.flatMap(readStatement);
  refuseHidden(line, script.commands);
  return pipelines;
}

function readStatement({ command, background }: Statement): Pipeline[] {
  if (background === true) refuse('runs in the background (`&`)');
  if (command.type !== 'AndOr') return [{ when: 'always', commands: readPipeline(command) }];
  return command.commands.map((node, i) => ({
    when: i === 0 ? 'always' : command.operators[i - 1] === '&&' ? 'success' : 'failure',
    commands: readPipeline(node),
  }));
}

function readPipeline(node: CommandNode | { readonly type: 'Pipeline' }): readonly SimpleCommand[] {
  if (node.type !== 'Pipeline') return [readCommand(node)];
  const pipeline = node as Extract<Statement['command'], { readonly type: 'Pipeline' }>;
  const [prefix] = pipeline.prefixes;
  if (prefix) refuse(prefix.type === 'Time' ? '`time` is not run' : 'a negation (`!`) is not run');
  if (pipeline.operators.includes('|&')) refuse('`|&` is not run; write `2>&1 |`');
  return pipeline.commands.map(readCommand);
}

function readCommand(node: CommandNode): SimpleCommand {
  if (node.type !== 'Command') refuse(`${CONSTRUCTS[node.type] ?? node.type} is not run; write simple commands`);
  const { name, prefix, suffix } = node;
  if (prefix.some(({ type }) => type === 'Assignment')) refuse('a variable assignment is not run');
  if (prefix.length > 0) refuse('a redirection has to stand behind its command');
  if (!name) refuse('holds no command');
  const words: string[] = [dequote(name, refuse)];
  const redirections: Redirection[] = [];
  for (const part of suffix) {
    if (part.type === 'Word') words.push(dequote(part, refuse));
    else if (part.type === 'Assignment') refuse('a variable assignment is not run');
    else redirections.push(part);
  }
  if (words[0] !== name.text) refuse('the name of the program is quoted or escaped; write it plainly');
  return { words, ...redirect(redirections) };
}

const CONSTRUCTS: Readonly<Record<string, string>> = {
  Subshell: 'a subshell',
  BraceGroup: 'a group',
  Function: 'a function',
  Coproc: 'a coprocess',
  If: '`if`',
  For: '`for`',
  While: 'a loop',
  Case: '`case`',
  Select: '`select`',
  TestCommand: '`[[`',
  ArithmeticCommand: '`((`',
  ArithmeticFor: '`for ((`',
  Redirected: 'a redirected group',
};

/** In order, as shells do it: `>/dev/null 2>&1` throws both away, `2>&1 >/dev/null` keeps what went to stderr. */
function redirect(redirections: readonly Redirection[]): Pick<SimpleCommand, 'stdout' | 'stderr'> {
  let stdout: SimpleCommand['stdout'] = 'next';
  let stderr: SimpleCommand['stderr'] = 'kept';
  for (const redirection of redirections) {
    if (redirection.type !== 'Redirect') refuse('a here-document or here-string is not read');
    const fd = redirection.descriptor?.type === 'FileDescriptor' ? redirection.descriptor.value : undefined;
    const form = `${fd ?? (redirection.descriptor ? '?' : '')}${redirection.operator}${redirection.target?.text ?? ''}`;
    if (form === '>/dev/null') stdout = 'null';
    else if (form === '2>/dev/null') stderr = 'null';
    else if (form === '2>&1') stderr = stdout;
    else refuse('a redirection other than `2>/dev/null`, `>/dev/null` and `2>&1` is not made');
  }
  return { stdout, stderr };
}

/** What belongs to no command must be a blank or a joint: the parser drops comments without a word, and a comment hides the rest of a line. */
function refuseHidden(line: string, statements: readonly Statement[]): void {
  const rest = line.split('');
  const blank = ({ pos, end }: { readonly pos: number; readonly end: number }) => rest.fill(' ', pos, end);
  for (const command of statements.flatMap(commandsOf))
    [command.name, ...command.suffix].forEach((part) => part && blank(part));
  if (!/^[ ;&|]*$/.test(rest.join(''))) refuse('a comment is not read');
}

function commandsOf({ command }: Statement): Command[] {
  const nodes = command.type === 'AndOr' ? command.commands : [command];
  return nodes
    .flatMap((node) => (node.type === 'Pipeline' ? node.commands : [node]))
    .filter((node) => node.type === 'Command');
}

function refuse(what: string): never {
  throw new RefusedForm(what);
}
