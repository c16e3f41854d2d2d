/**
 * What a program does with a path. `content`: reads the file; `tree`: reads every file below; `entry`: looks at names, sizes and times only;
 * `certificate`: shows what is public of a certificate.
 */
export interface Reading {
  readonly path: string;
  readonly how: 'content' | 'tree' | 'entry' | 'certificate';
}

/** Takes down what is read, for the check of the real paths when the command runs. */
export type Note = (reading: Reading) => void;

/** Judges one value: undefined when it may stand there, else why not. */
export type Check = (text: string, note: Note) => string | undefined;

/** Judges the words that are no options, all together. */
export type Operands = (words: readonly string[], note: Note, options: Given['options']) => string | undefined;

/**
 * The options and operands of a program that are known to only read. What is not listed is refused: an option of a newer version, an abbreviation, an
 * option that runs a helper or writes a file.
 */
export interface Syntax {
  /** Letters of options without a value; they may be clustered (`-la`). */
  readonly letters?: string;
  /** Names of long options without a value (or with `=true`), separated by blanks. */
  readonly words?: string;
  /** Options with a value, `-n 5`, `-n5`, `--lines 5`, `--lines=5`; the key lists the spellings: `'n lines'`. */
  readonly values?: Readonly<Record<string, Check>>;
  /** Options whose value has to be attached when there is one: `--color`, `--color=never`. */
  readonly optional?: Readonly<Record<string, Check>>;
  /** Options that are known with an attached value alone: `--watch=false`. */
  readonly attached?: Readonly<Record<string, Check>>;
  /** Options that take several words: `--arg NAME VALUE`. */
  readonly several?: Readonly<Record<string, readonly Check[]>>;
  /** `-o=json` is `-o json`, as programs written in Go read it. */
  readonly equals?: boolean;
  /** `-20` as a number of lines. */
  readonly number?: boolean;
  /** Long options begin with one dash and are never clustered (`find`, `openssl`). */
  readonly oneDash?: boolean;
  /** Left out: none. */
  readonly operands?: Operands;
  /** Judges what options and operands mean together. */
  readonly rule?: (given: Given) => string | undefined;
  /** What is put in front of the arguments so that it ends and opens no pager. */
  readonly adds?: (given: Given) => readonly string[];
  /** What is put behind all options, where the last one of contradicting options wins. */
  readonly closes?: (given: Given) => readonly string[];
}

/** A program, or one of its verbs. */
export interface Program extends Syntax {
  /** Options in front of the verb hold behind it, too. */
  readonly verbs?: Readonly<Record<string, Program>>;
  /** The program may be called without a verb. */
  readonly bare?: boolean;
  /** Reads its arguments itself: `ps aux` and `ip addr` follow no common rule. */
  readonly reads?: (words: readonly string[], note: Note) => string | undefined;
  /** Its file is unpacked by `gzip -cdfq` first, and piped in. */
  readonly unpacks?: boolean;
  /** What is really started: `zcat` and `egrep` are scripts for a shell, `gzip -cd` and `grep -E` are not. */
  readonly runs?: readonly [program: string, ...args: string[]];
}

/** What was found on the command line. */
export interface Given {
  /** By every spelling of the option; values in order. */
  readonly options: ReadonlyMap<string, readonly string[]>;
  readonly operands: readonly string[];
}

/** Programs by name; a name with several spellings is listed with blanks between them. */
export type Programs = Readonly<Record<string, Program>>;
