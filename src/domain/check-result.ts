/** One line of `rootnote doctor`. `value` is what was really seen (a version, a channel name, a count), not just "ok". */
export interface CheckResult {
  readonly name: string;
  readonly status: 'ok' | 'warn' | 'fail' | 'off';
  readonly value: string;
  /** Further lines below it: each mistake of a file, for example. */
  readonly details?: readonly string[];
  /** What to do, when the status is not ok. */
  readonly remedy?: string;
}
