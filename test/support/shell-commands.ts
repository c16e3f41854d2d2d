import { existsSync, readFileSync } from 'node:fs';

/** Command lines of a fixture: one a line, or as JSON behind `json:` where a line cannot hold them. Lines that begin with `# ` are remarks. */
export function readCommands(name: 'harmless' | 'dangerous' | 'attacks'): readonly string[] {
  return readFileSync(`test/fixtures/shell/${name}.txt`, 'utf8')
    .split('\n')
    .filter((line) => line !== '' && !line.startsWith('# '))
    .map((line) => (line.startsWith('json:') ? String(JSON.parse(line.slice('json:'.length))) : line));
}

const OTHER_CORPUS = '../shared/data/shell/shell-shared.tsv';

/** A corpus of others, where it is at hand; empty elsewhere. */
export function readOtherCommands(verdict: 'allow' | 'deny'): readonly string[] {
  if (!existsSync(OTHER_CORPUS)) return [];
  return readFileSync(OTHER_CORPUS, 'utf8')
    .split('\n')
    .map((line) => line.split('\t'))
    .filter((columns) => columns[1] === verdict)
    .map(([command = '""']) => String(JSON.parse(command)));
}

/** Numbers from 0 to 1, the same ones for the same seed. */
export function seededRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return state / 4_294_967_296;
  };
}

type Disguise = (command: string, random: () => number) => string;

const pick = <T>(items: readonly T[], random: () => number): T => items[Math.floor(random() * items.length)] as T;

/** One word other than the first, changed in a way that leaves its meaning: only words without quotes, options and letters that mean something. */
function changeWord(shape: RegExp, change: (word: string, random: () => number) => string): Disguise {
  return (command, random) => {
    if (/['"\\#]/.test(command)) return command;
    const words = command.split(' ');
    const places = words.flatMap((word, i) => (i > 0 && shape.test(word) ? [i] : []));
    if (places.length === 0) return command;
    const place = pick(places, random);
    return words.map((word, i) => (i === place ? change(word, random) : word)).join(' ');
  };
}

/** Around the whole line: what it does stays in it. */
const AROUND: readonly Disguise[] = [
  (command, random) =>
    `${pick(['sudo', 'timeout 5', 'nohup', 'env', 'command', 'nice -n 5', 'xargs', 'busybox', 'watch', 'time', '!'], random)} ${command}`,
  (command) => `(${command})`,
  (command) => `{ ${command}; }`,
  (command) => `echo $(${command})`,
  (command) => `echo \`${command}\``,
  (command) => `sh -c '${command.replaceAll("'", `'"'"'`)}'`,
  (command) => `${command} &`,
  (command) => `${command} > /tmp/out`,
  (command) => `X=1 ${command}`,
  (command) => `if true; then ${command}; fi`,
  (command, random) => command.replace(/ |$/, pick(['\t', '\n', '\r', '\u00a0', '\u200b', '\u2028'], random)),
];

/** In front and behind: refused for what it is, not for its company. */
const COMPANY: readonly Disguise[] = [
  (command, random) =>
    `${pick(['uptime', 'df -h', "echo 'fine'", 'ls /var/log | head', 'true'], random)}${pick([' && ', '; ', ' || '], random)}${command}`,
  (command, random) =>
    `${command}${pick([' | head -5', ' | sort | uniq -c', ' | grep -v x', '; uptime', ' && date', ' || true', ' 2>/dev/null', ' 2>&1'], random)}`,
  (command, random) =>
    `cat /etc/hosts${pick([' && ', ' ; ', ' || '], random)}${command}${pick(['; ls', ' | wc -l', ' && df'], random)}`,
];

/** In the words: the same to every program. */
const INSIDE: readonly Disguise[] = [
  (command, random) => `${' '.repeat(Math.ceil(random() * 3))}${command}${' '.repeat(Math.floor(random() * 3))}`,
  (command) => (/['"\\#]/.test(command) ? command : command.replaceAll(' ', '  ')),
  changeWord(/^[\w.,:=/-]+$/, (word) => `'${word}'`),
  changeWord(/^[\w.,:=/-]+$/, (word) => `"${word}"`),
  changeWord(/^\w{3,}$/, (word, random) => {
    const at = 1 + Math.floor(random() * (word.length - 2));
    return `${word.slice(0, at)}${pick(["''", '""', '\\'], random)}${word.slice(at)}`;
  }),
  changeWord(/^\/\w[\w./-]*$/, (path, random) => path.replace('/', pick(['//', '/./', '///'], random))),
];

/**
 * The same command in `count` disguises, each made of up to three changes, the same ones for the same seed. What had no command or no end cannot get
 * company: with it, it might become a command.
 */
export function disguise(command: string, count: number, seed: number): readonly string[] {
  const random = seededRandom(seed);
  const isWhole = command.trim() !== '' && !/^\s*#/.test(command) && !/\\\s*$/.test(command);
  const disguises = isWhole ? [...AROUND, ...COMPANY, ...COMPANY, ...INSIDE, ...INSIDE] : AROUND;
  return Array.from({ length: count }, () => {
    let text = command;
    for (let left = Math.ceil(random() * 3); left > 0; left--) text = pick(disguises, random)(text, random);
    return text;
  });
}
