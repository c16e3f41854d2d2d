import { isInBrackets } from './sed.ts';

/** Built-in functions that only compute. `system`, `close`, `fflush` are not: they are about other programs and files. */
const FUNCTIONS: ReadonlySet<string> = new Set(
  'length substr index split sub gsub gensub match sprintf tolower toupper int sqrt exp log sin cos atan2 rand srand systime strftime mktime strtonum and or xor lshift rshift compl asort asorti'.split(
    ' ',
  ),
);

/** Names that reach the environment, the list of files, other programs or the interpreter itself. */
const FORBIDDEN: ReadonlySet<string> = new Set(
  'system getline close fflush function func ENVIRON PROCINFO ARGV ARGC SYMTAB FUNCTAB while do switch return'.split(
    ' ',
  ),
);
const KEYWORDS: ReadonlySet<string> = new Set(
  'BEGIN END BEGINFILE ENDFILE if else for in print printf next nextfile exit delete break continue'.split(' '),
);

/**
 * Why an awk program may do more than print what it reads, or undefined. A parser of its own for patterns, expressions, `if`, `for`, `print` and
 * assignments: it knows at every place whether a `/` divides or begins a regular expression and whether a `>` compares or writes. Redirected output,
 * pipes, `getline`, `system`, user functions and endless loops are not in the grammar.
 */
export function whyNotAwk(program: string): string | undefined {
  try {
    new AwkParser(program).program();
    return undefined;
  } catch (error) {
    if (error instanceof NotAwk) return error.message;
    throw error;
  }
}

class NotAwk extends Error {}

const MAX_DEPTH = 60;

class AwkParser {
  private readonly text: string;
  private at = 0;
  private depth = 0;

  constructor(text: string) {
    this.text = text;
  }

  program(): void {
    let rules = 0;
    for (this.blanks(); !this.ended(); this.blanks()) {
      if (this.take(/;/y)) continue;
      this.rule();
      rules++;
    }
    if (rules === 0) this.fail('an empty program');
  }

  private rule(): void {
    if (!this.take(/(?:BEGIN|END|BEGINFILE|ENDFILE)\b/y) && !this.sees(/\{/y)) {
      this.expression();
      if (this.take(/,/y)) this.expression();
      if (!this.sees(/\{/y)) return;
    }
    this.block();
  }

  private block(): void {
    this.expect(/\{/y, '{');
    while (!this.take(/\}/y)) {
      if (this.ended()) this.fail('a { without its }');
      if (!this.take(/;/y)) this.statement();
    }
  }

  private statement(): void {
    this.nested(() => {
      if (this.sees(/\{/y)) return this.block();
      if (this.take(/if\b/y)) return this.branch();
      if (this.take(/for\b/y)) return this.loop();
      this.simpleStatement();
      if (!this.take(/;/y) && !this.sees(/\}/y)) this.fail(`'${this.next()}' is not expected here`);
    });
  }

  private branch(): void {
    this.bracketed();
    this.take(/;/y);
    this.statement();
    const here = this.at;
    this.take(/;/y);
    if (this.take(/else\b/y)) this.statement();
    else this.at = here;
  }

  /** `for (key in array)`, or one that counts up or down to a bound: what may never end is not run. */
  private loop(): void {
    const counts =
      /\(\s*([A-Za-z_]\w*)\s*=\s*[^;()]*;\s*\1\s*(?:<=?|>=?|!=)\s*[^;()]*(?:\([\w, ]*\))?;\s*(?:\1\s*(?:\+\+|--|[-+]=\s*\d+)|(?:\+\+|--)\1)\s*\)/y;
    if (this.sees(/\(\s*[A-Za-z_]\w*\s+in\s/y)) {
      this.expect(/\(/y, '(');
      this.variable();
      this.expect(/in\b/y, 'in');
      this.variable();
      this.expect(/\)/y, ')');
      return this.statement();
    }
    const from = this.at;
    if (!this.take(counts)) this.fail('a loop whose end is not plain to see');
    const [start = '', bound = ''] = this.text
      .slice(from, this.at)
      .replace(/^\s*\(/, '')
      .split(';');
    for (const part of [start, bound]) new AwkParser(part).whole();
    this.take(/;/y);
    this.statement();
  }

  /** The whole text is one expression. */
  private whole(): void {
    this.expression();
    if (!this.ended()) this.fail(`'${this.next()}' is not expected here`);
  }

  private simpleStatement(): void {
    if (this.take(/(?:print|printf)\b/y)) return this.print();
    if (this.take(/(?:next|nextfile|break|continue)\b/y)) return;
    if (this.take(/exit\b/y)) {
      if (!this.sees(/[;}]/y)) this.expression();
      return;
    }
    this.take(/delete\b/y);
    this.expression();
  }

  /** Outside brackets a `>` writes a file and a `|` starts a program: neither is an operator here. */
  private print(): void {
    if (this.sees(/[;}]/y)) return;
    this.list(false);
    if (this.sees(/>|\|/y)) this.fail('output goes nowhere but to the answer; put a comparison in brackets');
  }

  private list(compares: boolean): void {
    do this.expression(compares);
    while (this.take(/,/y));
  }

  private bracketed(): void {
    this.expect(/\(/y, '(');
    this.list(true);
    this.expect(/\)/y, ')');
  }

  /** A run of operands and operators. How tightly they bind does not matter: what matters is where each may stand. */
  private expression(compares = true): void {
    this.nested(() => {
      this.operand();
      for (;;) {
        if (this.take(/\?/y)) {
          this.expression(compares);
          this.expect(/:/y, ':');
          this.operand();
        } else if (compares && this.take(/>=?(?!>)/y)) this.operand();
        else if (this.take(/(?:\*\*=?|\^=?|&&|\|\||[-+*%]=|\/=|==|<=|!=|!~|~|=|<|[*%/]|\+(?!\+)|-(?!-))/y))
          this.operand();
        else if (this.take(/in\b/y)) this.variable();
        else if (this.startsOperand()) this.operand();
        else return;
      }
    });
  }

  /** Two operands side by side are joined; `+`, `-` and `/` there are operators. */
  private startsOperand(): boolean {
    if (this.sees(/(?:in|else|if|for|print|printf)\b/y)) return false;
    return this.sees(/[A-Za-z_0-9"$(.]|!(?![=~])|\+\+|--/y);
  }

  private operand(): void {
    this.nested(() => {
      while (this.take(/!(?![=~])|\+\+|--|\+|-|\$/y));
      if (this.take(/(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?/y) || this.take(/"(?:[^"\\]|\\.)*"/y)) return this.postfix();
      if (this.sees(/\//y)) return this.regex();
      if (this.sees(/\(/y)) {
        this.bracketed();
        return this.postfix();
      }
      this.name();
      this.postfix();
    });
  }

  private postfix(): void {
    this.take(/\+\+|--/y);
  }

  private regex(): void {
    const from = this.at;
    if (!this.take(/\/(?:[^/\\]|\\.)*\//y)) this.fail('a regular expression that does not end');
    const pattern = this.text.slice(from, this.at).trim().slice(1, -1);
    if (isInBrackets(pattern)) this.fail('a / in brackets; write it as \\/');
  }

  private name(): void {
    const word = this.word();
    if (FORBIDDEN.has(word)) this.fail(`'${word}' is not run`);
    if (KEYWORDS.has(word)) this.fail(`'${word}' is not expected here`);
    if (FUNCTIONS.has(word)) {
      if (this.sees(/\(/y)) this.call();
      else if (word !== 'length') this.fail(`'${word}' needs its arguments`);
      return;
    }
    if (this.text[this.at] === '(') this.fail(`'${word}' is not a function that is known to only compute`);
    if (this.take(/\[/y)) {
      this.list(true);
      this.expect(/\]/y, ']');
    }
  }

  private call(): void {
    this.expect(/\(/y, '(');
    if (this.take(/\)/y)) return;
    this.list(true);
    this.expect(/\)/y, ')');
  }

  private variable(): void {
    const word = this.word();
    if (FORBIDDEN.has(word) || KEYWORDS.has(word) || FUNCTIONS.has(word)) this.fail(`'${word}' is no array`);
  }

  private word(): string {
    this.blanks();
    const [word] = /^[A-Za-z_]\w*/.exec(this.text.slice(this.at)) ?? [];
    if (word === undefined)
      return this.fail(this.ended() ? 'the program breaks off' : `'${this.next()}' is not expected here`);
    this.at += word.length;
    return word;
  }

  private nested(read: () => void): void {
    if (++this.depth > MAX_DEPTH) this.fail('too many levels');
    read();
    this.depth--;
  }

  private blanks(): void {
    while (this.text[this.at] === ' ') this.at++;
  }

  private ended(): boolean {
    this.blanks();
    return this.at >= this.text.length;
  }

  private sees(shape: RegExp): boolean {
    this.blanks();
    shape.lastIndex = this.at;
    return shape.test(this.text);
  }

  private take(shape: RegExp): boolean {
    if (!this.sees(shape)) return false;
    this.at = shape.lastIndex;
    return true;
  }

  private expect(shape: RegExp, what: string): void {
    if (!this.take(shape)) this.fail(`${what} is expected instead of '${this.next()}'`);
  }

  private next(): string {
    return this.text.slice(this.at, this.at + 10);
  }

  private fail(what: string): never {
    throw new NotAwk(what);
  }
}
