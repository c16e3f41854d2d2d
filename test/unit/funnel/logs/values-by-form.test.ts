import { describe, expect, test } from '@jest/globals';
import { templatesOf } from './templates.ts';

const templateOf = (line: string): string => templatesOf([line])[0] ?? '';
/** `a=1 b=2 …`, so many fields. */
const fields = (count: number) => Array.from({ length: count }, (_, i) => `${'abcdefghijkl'[i]}k=${i}`).join(' ');

describe('a value by its form', () => {
  test.each([
    ['a name in angle brackets', 'owner <unknown> left', 'owner <*> left'],
    ['an interface in angle brackets', 'link <eth0> is up', 'link <*> is up'],
    ['an address in angle brackets', 'mail of <me@example.org> sent', 'mail of <*> sent'],
    ['a name of three parts', 'loading org.example.jobs.Cleaner now', 'loading <*> now'],
    ['the arguments of a call', 'calling open(bob, rw) now', 'calling open(<*>) now'],
    ['an empty list', 'members [] left', 'members [<*>] left'],
    ['a list of several', 'members [ann, bob] left', 'members [<*>] left'],
    ['the context that a line begins with', '[Server id=1] ready to serve', '[<*>] ready to serve'],
    ['a context with a number', '[worker 3] ready to serve', '[<*>] ready to serve'],
    ['the method of a request in prose', 'sent POST https://shop.example/a to bob', 'sent <*> to bob'],
    ['the path behind a verb, not the verb', 'please get /etc/hosts for bob', 'please get <*> for bob'],
    ['a text that quotes another', "failed: 'no row in 'orders'' at once", 'failed: <*> at once'],
    ['a text whose quotes are doubled', "set 'say ''hi'' to her' at once", 'set <*> at once'],
    ['a statement that begins like a request', "ran 'DELETE FROM carts' at once", 'ran <*> at once'],
    ['the port of this very host', 'dialling localhost:8080 for bob', 'dialling <*> for bob'],
    ['an amount of money', 'paid 3 EUR to bob', 'paid <*> to bob'],
    ['a dump of ten fields', `state ${fields(10)} end`, 'state <*> end'],
    ['a dump with flags in it', `state ${fields(5)} DF ${fields(6)} end`, 'state <*> end'],
  ])('%s', (_, line, template) => {
    expect(templateOf(line)).toBe(template);
  });
});

describe('no value by its form', () => {
  test.each([
    ['a comparison', 'load a < b and c > d'],
    ['several words in angle brackets', 'owner <two words> left'],
    ['a name of two parts', 'loading jobs.cleaner now'],
    ['the name of an exception', 'throwing org.example.jobs.CleanerException now'],
    ['the name of an error', 'throwing org.example.jobs.BrokenError now'],
    ['a call without arguments', 'calling close() now'],
    ['brackets behind a space', 'calling (maybe) now'],
    ['a list of one', 'members [ann] left'],
    ['a tag that a line begins with', '[UFW BLOCK] packet seen'],
    ['a method without a path', 'you GET what you pay for'],
    ['an apostrophe', "bob's turn at the dogs' house"],
    ['a currency without an amount', 'paid in EUR to bob'],
  ])('%s', (_, line) => {
    expect(templateOf(line)).toBe(line);
  });

  test('nine fields are a sentence', () => {
    expect(templateOf(`state ${fields(9)} end`)).toContain('ak=<*> bk=<*>');
  });

  test.each([
    ['a quoted request keeps its method', "ran 'DELETE /carts/7' at once", 'ran DELETE <*> at once'],
    ['a word before a number stays', 'at line:8080 for bob', 'at line:<*> for bob'],
  ])('%s', (_, line, template) => {
    expect(templateOf(line)).toBe(template);
  });

  test('words between fields keep them apart', () => {
    expect(templateOf(`state ${fields(5)} behind ${fields(5)} end`)).toContain('behind ak=<*>');
  });

  test('the request of an access line keeps its method', () => {
    const line = '10.0.0.1 - - [04/Mar/2026:10:11:12 +0000] "POST /orders HTTP/1.1" 200 12 "-" "curl"';
    expect(templateOf(line)).toBe('POST /orders status=2xx');
  });
});
