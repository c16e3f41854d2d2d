import { forEachChild, parse, type Command, type SyntaxNode } from 'unbash';
import { MAX_COMMAND_CHARACTERS } from './parse.ts';
import { riskOfProgram, RISK_CLASSES, type RiskClass } from './risk-table.ts';

export type RefusedClass = Exclude<RiskClass, 'R0'>;

/** How deep commands may hide in commands (`sh -c "sudo sh -c …"`) and still be looked at. */
const MAX_DEPTH = 4;

/**
 * The class of a line that is refused, and the part that makes it so. A label for people, made with good will: it never decides what runs. Looks into
 * substitutions, wrappers (`sudo`, `timeout 5`) and scripts (`sh -c '…'`). What is unknown, cannot be parsed or is not there at all is R2.
 */
export function labelRisk(line: string, depth = 0): { readonly risk: RefusedClass; readonly part?: string } {
  if (line.length > MAX_COMMAND_CHARACTERS || depth > MAX_DEPTH) return { risk: 'R2' };
  const commands: Command[] = [];
  try {
    collect(parse(line), commands);
  } catch {
    return { risk: 'R2' };
  }
  const labels = commands.map((command) => ({
    risk: labelWords(wordsOf(command), depth),
    part: textOf(command, line),
  }));
  // One command of the class decides; a read (R0) among refused parts says nothing.
  const [worst] = labels.toSorted((a, b) => RISK_CLASSES.indexOf(b.risk) - RISK_CLASSES.indexOf(a.risk));
  if (!worst || worst.risk === 'R0') return { risk: 'R2' };
  return worst.risk === 'R2' && commands.length === 1 ? { risk: 'R2' } : { risk: worst.risk, part: worst.part };
}

function collect(node: SyntaxNode, commands: Command[]): void {
  if (node.type === 'Command') commands.push(node);
  forEachChild(node, (child) => collect(child, commands));
}

function wordsOf(command: Command): readonly string[] {
  return [command.name?.value ?? '', ...command.args.map((arg) => (arg.type === 'Word' ? arg.value : arg.text))];
}

function textOf({ pos, end }: Command, line: string): string {
  return line.slice(pos, Math.min(end, pos + 60)).replace(/[^\x20-\x7e]/g, ' ');
}

/** Programs that run what follows them. */
const WRAPPERS =
  /^(sudo|doas|env|command|exec|builtin|nohup|nice|ionice|timeout|time|stdbuf|setsid|watch|xargs|parallel|chroot|unshare|nsenter|strace|flock|su|eval|busybox|chrt|taskset|runuser|setpriv|systemd-run|if|then|do)$/;
const SHELLS = /^(sh|bash|dash|zsh|ksh|ash)$/;

function labelWords(words: readonly string[], depth: number): RiskClass {
  const [path = '', ...rest] = words;
  const name = path.split('/').at(-1) ?? '';
  const within: readonly string[] =
    SHELLS.test(name) || /^(eval|su|watch|ssh)$/.test(name) ? rest.filter((word) => word.includes(' ')) : [];
  const labels: RiskClass[] = [riskOfProgram(name, rest), ...within.map((script) => labelRisk(script, depth + 1).risk)];
  // Behind a wrapper, `--` and find's -exec another command begins; options of the wrapper and their values are passed over.
  const begins = WRAPPERS.test(name)
    ? rest.map((_, i) => i)
    : rest.flatMap((word, i) => (/^(--|-exec|-execdir|-ok|-okdir)$/.test(word) ? [i + 1] : []));
  if (depth < MAX_DEPTH)
    labels.push(
      ...begins
        .slice(0, 12)
        .filter((i) => /^[\w./-]+$/.test(rest[i] ?? ''))
        .map((i) => labelWords(rest.slice(i), depth + 1)),
    );
  return labels.toSorted((a, b) => RISK_CLASSES.indexOf(b) - RISK_CLASSES.indexOf(a))[0] ?? 'R2';
}
