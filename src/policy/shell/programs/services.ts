import type { Check, Program, Programs } from '../grammar.ts';
import { listOf, many, matching, name, namePattern, number, oneOf, repeats, text, time, tree } from '../values.ts';

const units = many(namePattern);
const someUnits = many(namePattern, 1);
/** Not the environment: services are given their passwords there. */
const property: Check = listOf(
  matching(/^(?!.*(?:Environment|PassEnv|Credential|Secret))[A-Za-z0-9]+$/i, 'a property that may be shown'),
);
const SHOWN =
  'Id,Names,Description,LoadState,ActiveState,SubState,UnitFileState,Result,MainPID,ExecMainStatus,ExecMainCode,ExecMainStartTimestamp,NRestarts,Restart,' +
  'RestartUSec,MemoryCurrent,MemoryMax,CPUUsageNSec,CPUQuotaPerSecUSec,TasksCurrent,TasksMax,LimitNOFILE,ActiveEnterTimestamp,InactiveEnterTimestamp,' +
  'StateChangeTimestamp,ConditionResult,FragmentPath,DropInPaths,Requires,Wants,After,TriggeredBy,NextElapseUSecRealtime,LastTriggerUSec';

const verb = (operands: Program['operands']): Program => (operands ? { operands } : {});

export const services: Programs = {
  systemctl: {
    letters: 'alqr',
    words:
      'no-pager full all quiet no-legend failed plain reverse after before recursive value user system no-ask-password show-types with-dependencies',
    values: {
      't type': listOf(oneOf('service socket target device mount automount timer swap path slice scope help')),
      state: listOf(matching(/^[a-z-]+$/, 'a state')),
      'n lines': matching(/^\d{1,5}$/, 'a number of lines'),
      'o output': matching(/^[a-z-]+$/, 'a format'),
      'p property P': property,
      timestamp: name,
    },
    verbs: {
      status: verb(units),
      show: { operands: units, adds: ({ options }) => (options.has('p') ? [] : [`--property=${SHOWN}`]) },
      cat: verb(someUnits),
      'list-units list-unit-files list-timers list-sockets list-jobs list-dependencies list-paths list-automounts list-machines':
        verb(units),
      'is-active is-enabled is-failed': verb(someUnits),
      'is-system-running get-default': {},
      help: { operands: many(matching(/(?!)/, 'run: it opens a pager')) },
    },
    bare: true,
    adds: () => ['--no-pager'],
  },
  // Not -f; what rotates, vacuums, flushes or writes a cursor is not listed.
  journalctl: {
    letters: 'aekmqrx',
    words:
      'all pager-end dmesg merge quiet reverse catalog no-pager no-hostname no-full full no-tail utc list-boots disk-usage header fields system user list-catalog',
    values: {
      'u unit user-unit': namePattern,
      't identifier': text,
      'p priority': matching(
        /^([0-7]|emerg|alert|crit|err|warning|notice|info|debug)(\.\.([0-7]|emerg|alert|crit|err|warning|notice|info|debug))?$/,
        'a priority',
      ),
      'S since U until': time,
      'g grep': text,
      'o output': oneOf(
        'short short-full short-iso short-iso-precise short-precise short-monotonic short-unix short-delta verbose export json json-pretty json-sse json-seq cat with-unit',
      ),
      'output-fields': matching(/^[\w,]+$/, 'a list of fields'),
      'F field': matching(/^[A-Z_0-9]+$/, 'a field'),
      facility: matching(/^[\w,]+$/, 'a facility'),
      'D directory': tree,
      'c cursor after-cursor': text,
    },
    optional: {
      'n lines': matching(/^\+?\d{1,6}$/, 'a number of lines'),
      'b boot': matching(/^([-+]?\d+|[0-9a-f]{32}([-+]\d+)?|all)$/, 'a boot'),
      'case-sensitive': oneOf('yes no true false'),
    },
    // `-n 50` and `-b -1` are given in two words as well; a match is FIELD=value or a program.
    operands: many(matching(/^([A-Z_][A-Z0-9_]*=.*|\/[\w./-]+|\+|\d{1,6}|[0-9a-f]{32})$/, 'a match')),
    number: true,
    adds: ({ options }) => [
      '--no-pager',
      ...(['n', 'S', 'disk-usage', 'list-boots', 'F', 'fields', 'header'].some((option) => options.has(option))
        ? []
        : ['--lines=1000']),
    ],
  },
  'systemd-analyze': {
    words: 'no-pager',
    verbs: { 'blame time critical-chain': { operands: many(name, 0, 3) }, 'unit-paths': {} },
    bare: true,
    adds: () => ['--no-pager'],
  },
  'systemd-cgls': {
    letters: 'alk',
    words: 'no-pager full all',
    operands: many(matching(/^[\w./@:-]+$/, 'a group')),
    adds: () => ['--no-pager'],
  },
  'systemd-cgtop': {
    letters: 'bpctmirkP',
    words: 'batch',
    values: { 'n iterations': repeats, depth: number, 'd delay': number },
    rule: ({ options }) =>
      (options.has('b') || options.has('batch')) && (options.has('n') || options.has('iterations'))
        ? undefined
        : 'is interactive; use systemd-cgtop -b -n 1',
  },
  'systemd-detect-virt': { letters: 'cvqr', words: 'container vm quiet' },
  loginctl: {
    words: 'no-pager',
    verbs: { 'list-sessions list-users list-seats': {} },
    bare: true,
    adds: () => ['--no-pager'],
  },
  coredumpctl: {
    letters: 'qr1',
    words: 'no-pager no-legend reverse',
    values: { n: number, 'S since U until': time },
    verbs: { list: { operands: many(matching(/^[\w./=@-]+$/, 'a match')) } },
    bare: true,
    adds: () => ['--no-pager'],
  },
  supervisorctl: { verbs: { status: { operands: many(namePattern) } } },
};
