/** What makes a shell do more than run one program, or a pasted line more than one line. */
const SHELL_SYNTAX = /[;&|`$<>\\\n\r]/;
const NAME = '[a-z0-9][a-z0-9.-]*';
/** `kubectl -n shop get …`; what it says about Secrets is for those who may see them. */
const KUBECTL = new RegExp(
  `^kubectl(?: (?:-n|--namespace|--context)[ =]${NAME})* ` +
    '(?:get|describe|logs|top|events|explain|version|rollout (?:status|history)|auth can-i)(?: |$)',
);
const SECRETS = /\bsecrets?\b/i;
const LOOKING = /^(?:df|free|uptime|dig|nslookup|systemctl status)(?: [\w.:@/=-]+)*$/;
/** `rate(x[5m])`, `up{job="a"}`, `sum by (pod) (…)`: no program's name is followed by a bracket. */
const PROMQL = /^(?:[\d.]+ [-+*/] )?[a-z_:][\w:]*(?:\{|\s?\(|\s(?:by|without)\s?\()/i;

/**
 * True for a proposed command (or PromQL) that surely only reads. A model calls a risk what it likes, and what it was told by a log line
 * may be in it: anything not known here is not R0.
 */
export function isReadOnlyCommand(command: string): boolean {
  const text = command.trim();
  if (PROMQL.test(text)) return !/[;&|`$\\\n\r]/.test(text);
  if (SHELL_SYNTAX.test(text)) return false;
  return LOOKING.test(text) || (KUBECTL.test(text) && !SECRETS.test(text));
}
