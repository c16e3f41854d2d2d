import { describe, expect, test } from '@jest/globals';
import { array, assert, property, string } from 'fast-check';
import { scoreGrouping } from '../../../../bench/log-scoring.ts';
import { TemplateMiner } from '../../../../src/funnel/logs/template-miner.ts';
import { FAMILIES, linesOf, type FamilyName } from '../../../../bench/log-families.ts';
import { templatesOf } from './templates.ts';

const templateOf = (line: string): string => templatesOf([line])[0] ?? '';

describe('one line', () => {
  test.each([
    ['read from 192.0.2.7:6379 timed out after 45s', 'read from <*> timed out after <*>'],
    ['job 7c1e2f34-9a0b-4c5d-8e6f-001122334455 done in 1.25 sec', 'job <*> done in <*>'],
    ['wrote 12 MB to /var/lib/data/part-3', 'wrote <*> to <*>'],
    ['cannot open "settings.yaml" for bob', 'cannot open <*> for bob'],
    ["can't reach host db.example", "can't reach host db.example"],
    ['user=alice id = 7 rest', 'user=<*> id =<*> rest'],
    ['login user= from=here', 'login user=<*> from=<*>'],
    ['got Point{x=1, y=[2, 3]} back', 'got <*> back'],
    ['members [a, b, c] joined', 'members [<*>] joined'],
    ['mail to ann@example.org sent on Sat Jun 25 09:20:24 2005', 'mail to <*> sent on <*>'],
    ['link aa:bb:cc:dd:ee:ff is up', 'link <*> is up'],
    ['see https://example.org/a?b=c now', 'see <*> now'],
    ['a == b and c => d', 'a == b and c => d'],
    ['values 1, 2, 3 and 4', 'values <*> and <*>'],
  ])('masks what varies by its form: %s', (line, template) => {
    expect(templateOf(line)).toBe(template);
  });

  test.each([
    '2026-03-04T10:11:12.345Z INFO [main] c.e.Server: started on port 80',
    '2026-03-04 10:11:12,345 - INFO - started on port 80',
    'Mar  4 10:11:12 host1 server[99]: started on port 80',
    '<34>1 2026-03-04T10:11:12Z host1 server 99 ID47 [a@1 b="c"] started on port 80',
    'I0304 10:11:12.345678    1 server.go:12] started on port 80',
    '03-04 10:11:12.345  1702  2395 D Server: started on port 80',
    '[Wed Mar 04 10:11:12 2026] [notice] started on port 80',
    '2026-03-04T10:11:12.345Z stdout F started on port 80',
    'web-1  | 2026-03-04 10:11:12 INFO started on port 80',
    '[INFO] started on port 80',
    'INFO[0001] started on port 80',
    '2026-03-04 10:11:12 \u001b[32mINFO\u001b[0m started on port 80',
    '{"level":"info","time":1,"msg":"started on port 80"}',
    '{"log":"{\\"message\\":\\"started on port 80\\"}\\n","stream":"stdout"}',
    'ts=2026-03-04T10:11:12Z level=info msg="started on port 80" pid=3',
    'I0304 10:11:12.345678    1 server.go:12] "started on port 80" pod="a/b"',
    '2026-03-04T10:11:12Z\tINFO\tsetup\tstarted on port 80\t{"id": "x"}',
    '[    0.123456] started on port 80',
    'Mar  4 10:11:12 host1 kernel: [    0.123456] started on port 80',
    'Mar  4 10:11:12 host1 app[7]: 2026-03-04 10:11:12,345 INFO started on port 80',
    '[Nest] 123  - 03/04/2026, 10:11:12 AM     LOG [Server] started on port 80',
    '10:11AM INF started on port 80',
    'INFO:web.server:started on port 80',
    '[main] INFO c.e.Server - started on port 80',
    'INFO  - started on port 80',
    'WARN  started on port 80',
    '[pod/web-7d9f/app] started on port 80',
    '3/4/2026, 10:11:12 AM started on port 80',
    '1:M 04 Mar 2026 10:11:12.345 * started on port 80',
    '260304 10:11:12 [Note] started on port 80',
    '20260304T101112Z INFO started on port 80',
    'Mar 04, 2026 10:11:12 AM started on port 80',
    '1772619072123456 started on port 80',
    '- 1772619072 2026.03.04 n1 2026-03-04-10.11.12.345678 n1 RAS KERNEL INFO started on port 80',
    'INFO[0001] started on port 80                addr=":80" pid=3',
    'info: Shop.Server[14] started on port 80',
    'I, [2026-03-04T10:11:12.345678 #7]  INFO -- web: started on port 80',
    '<34>Mar  4 10:11:12 host1 server[99]: started on port 80',
    '{"log":{"level":"info"},"message":"started on port 80","data":{"msg":"other"}}',
    '{"tags":["a","]"],"msg":"started \\u006fn port 80\\n\\tat a.b.C(D.java:1)"}',
    'level=info msg="started on port 80" note="a \\"b\\" c"',
  ])('finds the message behind its header or in its fields: %s', (line) => {
    expect(templateOf(line)).toBe('started on port <*>');
  });

  test.each([
    'the counter 1772619072123 of the session is 7',
    'name 1772619072 is taken',
    'Mon is no day of work',
    '[a][b] text',
  ])('takes nothing for a header that may be said: %s', (line) => {
    expect(templateOf(line).split(' ')[0]).toBe(line.split(' ')[0]);
  });

  test('strips nothing when what stands in front is no header', () => {
    expect(templateOf('Server main loop: ready')).toBe('Server main loop: ready');
  });

  test('an access line is its method, its route and the class of its status', () => {
    const line = '10.0.0.1 - - [04/Mar/2026:10:11:12 +0000] "GET /v1/orders/77/items?x=1 HTTP/1.1" 503 12 "-" "curl"';
    expect(templateOf(line)).toBe('GET /v1/orders/<*>/items status=5xx');
  });

  test('what an error of a web server says ends before the request that it concerns', () => {
    const error = '2026/03/04 10:11:12 [error] 31#31: *7 open() "/a/b" failed (2: No such file), client: 192.0.2.7';
    const [short, long] = templatesOf([error, `${error}, server: _, request: "GET /b HTTP/1.1", host: "shop"`]);
    expect(short).toContain('No such file');
    expect(long).toBe(short);
  });

  test('a traceback in a field is known by its exception', () => {
    const message = 'Traceback (most recent call last):\n  File "a.py", line 3, in f\nKeyError: missing';
    expect(templateOf(JSON.stringify({ message }))).toBe('KeyError: missing');
  });

  test.each([
    '\tat com.example.Shop.buy(Shop.java:12)',
    'at a.B.c(D.java:1) ~[e.jar:2]',
    '    at new Cart (/app/cart.js:3:7)',
  ])('stack frames are one template: %s', (line) => expect(templateOf(line)).toBe('at <*>'));
});

describe('many lines', () => {
  test('C3: words that are values by the evidence of the stream are one template', () => {
    const users = ['alice', 'bob', 'carol', 'dmitri', 'erin', 'farid'];
    const templates = templatesOf(users.map((user) => `session opened for user ${user}`));
    expect(new Set(templates)).toEqual(new Set(['session opened for user <*>']));
  });

  test('A10: lines added after a merge join its groups', () => {
    const miner = new TemplateMiner();
    const add = (words: readonly string[]) => words.map((word) => miner.add(`cache ${word} rebuilt`));
    const before = add(['carts', 'users', 'prices', 'orders', 'stocks', 'images', 'pages', 'menus']);
    miner.finish();
    const after = add(['users', 'banners', 'carts']);
    miner.finish();
    expect(new Set([...before, ...after].map((id) => miner.group(id))).size).toBe(1);
  });

  test('two words that differ in every line are two values', () => {
    const names = ['alice', 'bob', 'carol', 'dmitri', 'erin', 'farid', 'grace'];
    const things = ['lamp', 'desk', 'chair', 'shelf', 'vase', 'rug', 'bed'];
    const templates = templatesOf(names.map((name, i) => `customer ${name} returned item ${things[i]} to store`));
    expect(new Set(templates)).toEqual(new Set(['customer <*> returned item <*> to store']));
  });

  test('opposite messages stay apart', () => {
    const lines = ['connection opened by peer', 'connection closed by peer', 'connection refused by peer'];
    expect(new Set(templatesOf(lines)).size).toBe(3);
  });

  test('explanations of several lengths after a colon are one template', () => {
    const reasons = ['no such file', 'permission denied', 'is a directory', 'too many open files', 'disk error'];
    const templates = templatesOf(reasons.map((reason) => `could not open archive: ${reason}`));
    expect(new Set(templates)).toEqual(new Set(['could not open archive: <*>']));
  });

  test.each(Object.keys(FAMILIES) as FamilyName[])(
    'groups at least nine of ten lines of the family %s rightly',
    (name) => {
      for (const form of ['line', 'content'] as const) {
        const lines = linesOf(name, 1500, 11);
        const { ga } = scoreGrouping(
          lines.map(({ label }) => label),
          templatesOf(lines.map((line) => line[form])),
        );
        expect(ga).toBeGreaterThanOrEqual(0.9);
      }
    },
  );

  test('the groups do not depend on the order of lines', () => {
    const lines = (Object.keys(FAMILIES) as FamilyName[]).flatMap((name) =>
      linesOf(name, 300, 5).map(({ line }) => line),
    );
    const templates = templatesOf(lines);
    const order = new Map(lines.map((line, i) => [line, templates[i]]));
    const shuffled = lines.toSorted(
      (a, b) => ((a.length * 31 + a.charCodeAt(9)) % 97) - ((b.length * 31 + b.charCodeAt(9)) % 97),
    );
    templatesOf(shuffled).forEach((template, i) => expect(template).toBe(order.get(shuffled[i] ?? '')));
  });
});

describe('limits', () => {
  test('C3: counts add up beyond the limit; errors outlive commoner lines', () => {
    const miner = new TemplateMiner({ maxLive: 64 });
    const letters = 'ghijklmnopqrstuvwxyz';
    const word = (n: number) => [1, 20, 400].map((base) => letters[Math.floor(n / base) % 20]).join('');
    const ids = [miner.add('fatal: disk is full')];
    for (let n = 0; n < 2000; n++) ids.push(miner.add(`${word(n)} ${word(n * 7)} ${word(n * 13)} ${word(n * 17)}`));
    miner.finish();
    const groups = new Set(ids.map((id) => miner.group(id)));
    expect(groups.size).toBeLessThanOrEqual(65);
    expect(ids.some((id) => miner.template(miner.group(id)) === '(other)')).toBe(true);
    expect(miner.template(miner.group(ids[0] ?? -1))).toBe('fatal: disk is full');
  });

  test('any text has a group, and the same text the same one', () => {
    assert(
      property(array(string({ unit: 'binary', maxLength: 80 })), (lines) => {
        const templates = templatesOf([...lines, ...lines]);
        expect(templates.slice(lines.length)).toEqual(templates.slice(0, lines.length));
      }),
    );
  });

  test.each(['[', '"a', "'", 'a.', 'a=', '--- ', '{"a":', '12:34:56 ', 'ab:', '(', '\u{1f600}', '[1,1,'])(
    'a line of nothing but %s is read to its end',
    (piece) => expect(templatesOf([piece.repeat(50_000)])).toHaveLength(1),
  );
});
