import { describe, expect, test } from '@jest/globals';
import { differentTemplates, templatesOf } from './templates.ts';

const PEOPLE = ['alice', 'bob', 'carol', 'dmitri', 'erin', 'farid'];
const TOWNS = ['Lisbon', 'Porto', 'Madrid', 'Vienna', 'Oslo', 'Turin'];

describe('several values in one line', () => {
  const folders = ['red', 'blue', 'tall', 'wide', 'cold', 'warm'];
  const members = ['grace', 'henrik', 'ines', 'jonas', 'kaori', 'lena'];
  const share = (user: string, i: number) => `user ${user} shared folder ${folders[i]} with member ${members[i]}`;

  test('are found together, though no two lines differ in one or two words', () => {
    expect(differentTemplates(PEOPLE.map(share))).toEqual(['user <*> shared folder <*> with member <*>']);
  });

  test('need more than three lines', () => {
    expect(differentTemplates(PEOPLE.slice(0, 3).map(share))).toHaveLength(3);
  });

  test('are not the words of different sentences of one length', () => {
    const sentences = [
      'our cat sat on that warm mat',
      'all birds fly over some green hills',
      'every train stops at this small town',
      'most ships sail with many old crews',
      'two dogs run past those white walls',
    ];
    expect(differentTemplates(sentences)).toHaveLength(sentences.length);
  });
});

describe('values of several words', () => {
  const moves = TOWNS.map((town) => `parcel moved to ${town} depot today`);

  test('join the template of values of one word', () => {
    expect(differentTemplates([...moves, 'parcel moved to New York depot today'])).toEqual([
      'parcel moved to <*> depot today',
    ]);
  });

  test.each([
    ['are no longer than a name', 'parcel moved to the first of several quite distant depot today'],
    ['do not reach into what the template says', 'parcel moved to Lisbon harbour today'],
    ['need the same beginning', 'parcel sent to New York depot today'],
  ])('%s', (_, other) => {
    expect(templatesOf([...moves, other]).at(-1)).toBe(other);
  });

  test('names of one word and of several are one kind of value', () => {
    const names = ['home', 'office', 'garage', 'Cafe Central', 'Hotel Lobby Guest'];
    expect(differentTemplates(names.map((name) => `joined network ${name}`))).toEqual(['joined network <*>']);
  });

  test('what goes on in small letters is no name', () => {
    const lines = ['home', 'office', 'switched off', 'needs new driver', 'lost'].map(
      (rest) => `joined network ${rest}`,
    );
    expect(differentTemplates(lines)).toContain('joined network switched off');
    expect(differentTemplates(lines)).toContain('joined network needs new driver');
  });

  test('names behind nothing but a number have nothing to be told by', () => {
    const first = [
      'Red',
      'Old',
      'Blue',
      'Night',
      'Green',
      'North',
      'Silver',
      'Upper',
      'Little',
      'Royal',
      'Lower',
      'Grand',
    ];
    const second = ['Cafe', 'Mill', 'Hotel', 'Train', 'Park', 'Gate', 'Lake', 'House', 'Bridge', 'Inn', 'Farm', 'Hall'];
    const lines = first.map((word, i) => `17 ${word} ${second[i]}`);
    expect(differentTemplates(lines)).toHaveLength(lines.length);
  });
});

describe('words that vary in several places', () => {
  const sensors = ['north', 'south', 'east', 'west', 'roof', 'cellar'];
  const lines = (things: readonly string[], states: readonly string[]) =>
    things.flatMap((thing) => states.map((state) => `${thing} sensor reads ${state}`));

  test('the kind with more words is the value, what is said of it stays', () => {
    expect(differentTemplates(lines(sensors, ['high', 'low', 'flat']))).toEqual([
      '<*> sensor reads high',
      '<*> sensor reads low',
      '<*> sensor reads flat',
    ]);
  });

  test('as many things as states are left as they are', () => {
    expect(differentTemplates(lines(sensors.slice(0, 3), ['high', 'low', 'flat']))).toHaveLength(9);
  });

  test('what happened stays apart from whom it happened to', () => {
    const doors = ['door', 'window', 'gate', 'hatch', 'shutter'];
    const events = doors.flatMap((door) => [`the ${door} was opened`, `the ${door} was closed`]);
    expect(differentTemplates(events)).toEqual(['the <*> was opened', 'the <*> was closed']);
  });
});

describe('the form of a word', () => {
  test.each([
    ['codes with a dash or a line in them are values', ['r-x', 'd_y', 'b-z'], ['disk is <*>']],
    ['words in capitals are words', ['READY', 'IDLE', 'BUSY'], ['disk is READY', 'disk is IDLE', 'disk is BUSY']],
  ])('%s', (_, words, templates) => {
    expect(differentTemplates(words.map((word) => `disk is ${word}`))).toEqual(templates);
  });

  test('a line below belongs to the name that it begins', () => {
    const lines = PEOPLE.map((name) => `session of _${name} was closed`);
    expect(differentTemplates(lines)).toEqual(['session of <*> was closed']);
  });
});

describe('routes', () => {
  const request = (path: string) =>
    `10.0.0.1 - - [04/Mar/2026:10:11:12 +0000] "GET ${path} HTTP/1.1" 200 12 "-" "curl"`;
  const resources = ['orders', 'users', 'carts', 'stocks', 'mails', 'audits'];

  test.each(['/', '/api/', '/v2/', '/api/v1/', '/rest/v3/'])(
    'the first segment behind %s names a resource',
    (prefix) => {
      expect(differentTemplates(resources.map((resource) => request(`${prefix}${resource}`)))).toHaveLength(6);
    },
  );

  test('a later segment is a value', () => {
    expect(differentTemplates(PEOPLE.map((name) => request(`/users/${name}`)))).toEqual(['GET /users/<*> status=2xx']);
  });
});
