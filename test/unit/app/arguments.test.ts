import { describe, expect, test } from '@jest/globals';
import { parseCommand } from '../../../src/app/arguments.ts';
import { UsageError } from '../../../src/app/options.ts';

describe('command line', () => {
  test.each([
    [['all'], { kind: 'role', role: 'all' }],
    [[], { kind: 'help' }],
    [
      ['investigate', 'alert.json', '--offline'],
      { kind: 'investigate', alertFile: 'alert.json', offline: true, brief: false, json: false },
    ],
    [
      ['investigate', '--recording', 'dir', '--json'],
      { kind: 'investigate', recording: 'dir', offline: false, brief: false, json: true },
    ],
    [
      ['investigate', '--recording', 'dir', '--until', '60'],
      { kind: 'investigate', recording: 'dir', untilS: 60, offline: false, brief: false, json: false },
    ],
    [
      ['investigate', '--recording', 'dir', '--offline', '--until', '60', '--second-look', '300'],
      { kind: 'investigate', recording: 'dir', untilS: 60, secondLookS: 300, offline: true, brief: false, json: false },
    ],
    [
      ['investigate', '--recording', 'dir', '--brief'],
      { kind: 'investigate', recording: 'dir', offline: false, brief: true, json: false },
    ],
    [['doctor', '--json'], { kind: 'doctor', json: true }],
    [['check'], { kind: 'checks', json: false }],
    [['check', 'list', '--json'], { kind: 'checks', json: true }],
    [['mcp', 'list'], { kind: 'mcp', json: false }],
    [['mcp', '--json'], { kind: 'mcp', json: true }],
    [['investigate', '--help'], { kind: 'help' }],
    [['reports', 'show', '-h'], { kind: 'help' }],
    [['-v'], { kind: 'version' }],
    [['reports'], { kind: 'read', what: 'reports', json: false }],
    [['reports', 'list', '--checks'], { kind: 'read', what: 'reports', checks: true, json: false }],
    [['incidents', '--checks', '--json'], { kind: 'incidents', checks: true, json: true }],
    [['reports', 'show', 'inc_1', '--timeline', 'out.png'], { kind: 'timeline', id: 'inc_1', file: 'out.png' }],
    [['doctor', '--route', 'severity=critical'], { kind: 'route', labels: 'severity=critical', json: false }],
    [['deliveries'], { kind: 'deliveries', request: { verb: 'list', json: false } }],
    [['deliveries', 'list', '--json'], { kind: 'deliveries', request: { verb: 'list', json: true } }],
    [['deliveries', 'retry', 'inc_1'], { kind: 'deliveries', request: { verb: 'retry', id: 'inc_1' } }],
    [
      ['deliveries', 'retry', 'inc_1', 'jira'],
      { kind: 'deliveries', request: { verb: 'retry', id: 'inc_1', destination: 'jira' } },
    ],
    [['sessions', 'show', 'ses_1'], { kind: 'read', what: 'sessions', id: 'ses_1', json: false }],
    [['skills'], { kind: 'skills', json: false }],
    [['skills', 'show', 'disk-full', '--json'], { kind: 'skills', name: 'disk-full', json: true }],
    [['memory'], { kind: 'memory', request: { verb: 'list', json: false } }],
    [['sources', 'list', '--json'], { kind: 'sources', request: { verb: 'list', json: true } }],
    [
      ['sources', 'try', 'shop', 'a.json', '--header', 'X-Kind: a=b', '--header', 'x-other=c'],
      {
        kind: 'sources',
        request: {
          verb: 'try',
          name: 'shop',
          file: 'a.json',
          headers: { 'x-kind': 'a=b', 'x-other': 'c' },
          json: false,
        },
      },
    ],
    [['memory', 'path'], { kind: 'memory', request: { verb: 'path' } }],
    [['memory', 'add', 'a: b = c'], { kind: 'memory', request: { verb: 'add', fact: 'a: b = c' } }],
  ])('%j', (argv, command) => {
    expect(parseCommand(argv)).toEqual(command);
  });

  test.each([
    [['al'], /'al' is no command; did you mean 'all'\?/],
    [['docter'], /did you mean 'doctor'/],
    [['check', 'all'], /use: rootnote check list/],
    [['mcp', 'add'], /use: rootnote mcp list/],
    [['frobnicate'], /^'frobnicate' is no command$/],
    [['investigate'], /either ALERT.json or --recording DIR/],
    [['investigate', 'a.json', '--recording', 'd'], /either/],
    [['investigate', 'a.json', 'b.json'], /'b.json' is one argument too many/],
    [['investigate', '--ofline', 'a.json'], /Unknown option '--ofline'; did you mean --offline\?$/],
    [
      ['all', '--port', '9000'],
      /Unknown option '--port'; settings are variables: set PORT in the environment or in \.env$/,
    ],
    [['serve', '--redis-url=redis://x'], /set REDIS_URL in/],
    [['all', '--prot'], /Unknown option '--prot'$/],
    [['investigate', 'a.json', '--until', '60'], /--until goes with --recording/],
    [['investigate', '--recording', 'd', '--second-look', '300'], /--second-look goes with an earlier --until/],
    [
      ['investigate', '--recording', 'd', '--until', '60', '--second-look', '60'],
      /--second-look goes with an earlier --until/,
    ],
    ...['soon', ' ', '', '-5', 'NaN', 'Infinity', '1e400'].map(
      (value) =>
        [['investigate', '--recording', 'd', `--until=${value}`], /--until takes a number of seconds/] as const,
    ),
    [['all', '--json'], /--json/],
    [['deliveries', 'retry'], /deliveries retry ID/],
    [['reports', 'show'], /reports show ID/],
    [['incidents', 'show', 'inc_1', '--checks'], /--checks is for the list: rootnote incidents list --checks/],
    [['reports', 'show', '--timeline', 'out.png'], /reports show ID --timeline/],
    [['sessions', 'show', 'inc_1', '--timeline', 'out.png'], /timeline/],
    [['skills', 'show'], /skills show NAME/],
    [['memory', 'add'], /memory add 'FACT'/],
    [['memory', 'add', 'a:', 'b'], /one argument too many/],
    [['memory', 'forget'], /use: rootnote memory list/],
    [['sources', 'try', 'shop'], /use: rootnote sources list/],
    [['sources', 'try', 'shop', 'a.json', '--header', 'nothing'], /--header takes NAME=VALUE/],
  ])('%j is refused with a message', (argv, message) => {
    expect(() => parseCommand(argv)).toThrow(UsageError);
    expect(() => parseCommand(argv)).toThrow(message);
  });
});
