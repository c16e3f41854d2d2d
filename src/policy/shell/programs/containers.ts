import type { Program, Programs } from '../grammar.ts';
import { many, matching, name, number, oneOf, text, time } from '../values.ts';

const container = matching(/^[A-Za-z0-9][\w.:/@-]*$/, 'a name');
const containers = many(container);
const template = matching(/^(?!.*(?:\.Env\b|Config))[\s\S]{1,300}$/, 'a format without the environment');
const tail = matching(/^\d{1,6}$/, 'a number of lines');
const list = { letters: 'aq', words: 'all quiet no-trunc', values: { 'f filter': text, format: template } };

const ps: Program = {
  letters: 'alnqs',
  words: 'all latest quiet no-trunc size',
  values: { 'f filter': text, format: template, 'n last': number },
};
/** A bound is put in where none is given. */
const logs: Program = {
  letters: 't',
  words: 'timestamps details',
  values: { 'n tail': tail, 'since until': time },
  operands: many(container, 1, 1),
  adds: ({ options }) => (options.has('n') || options.has('since') ? [] : ['--tail=1000']),
};
const images: Program = { ...list, words: 'all quiet no-trunc digests', operands: many(container, 0, 1) };
const stats: Program = {
  letters: 'a',
  words: 'all no-trunc no-stream',
  values: { format: template },
  operands: containers,
  rule: ({ options }) => (options.has('no-stream') ? undefined : 'never ends; use --no-stream'),
};
const top: Program = {
  reads: (words, note) =>
    container(words[0] ?? '', note) ??
    words
      .slice(1)
      .map((word) =>
        // Its own ps: with a dash, -e is every process; without one, `e` is their environment.
        /^(-[aeflo]+|[aflux]+|[afl]*x?o|[a-z]+(,[a-z]+)+)$/.test(word) && !word.includes('environ')
          ? undefined
          : `'${word}' is not known to show processes alone`,
      )
      .find(Boolean),
};
const port: Program = { operands: many(container, 1, 2) };
const one: Program = { operands: many(container, 1, 1) };
const history: Program = {
  letters: 'Hq',
  words: 'human no-trunc quiet',
  values: { format: template },
  operands: many(container, 1, 1),
};
const diskUsage: Program = { letters: 'v', words: 'verbose', values: { format: template } };
const info: Program = { values: { 'f format': template } };

/** Lists, logs and figures. Not inspect: it shows the environment. Not exec, cp, events and everything that changes something. */
const docker: Program = {
  equals: true,
  letters: 'v',
  words: 'version',
  bare: true,
  verbs: {
    ps,
    images,
    logs,
    stats,
    top,
    port,
    history,
    info,
    version: info,
    diff: one,
    container: { verbs: { 'ls list ps': ps, logs, stats, top, port, diff: one } },
    image: { verbs: { 'ls list': images, history } },
    network: { verbs: { 'ls list': list } },
    volume: { verbs: { 'ls list': list } },
    system: { verbs: { df: diskUsage, info } },
    node: { verbs: { 'ls list': list, ps: list } },
    service: { verbs: { 'ls list': list, ps: { ...list, operands: many(container, 1) }, logs } },
    stack: { verbs: { 'ls list': list, 'ps services': { ...list, operands: many(container, 1, 1) } } },
    context: { verbs: { 'ls list': list } },
    plugin: { verbs: { 'ls list': list } },
    compose: {
      verbs: {
        logs: { ...logs, operands: containers },
        ls: list,
        ps: { ...list, words: 'all quiet services', operands: containers },
      },
    },
    pod: { verbs: { 'ls list ps': ps } },
  },
};

const crictl: Program = {
  equals: true,
  letters: 'v',
  words: 'version',
  verbs: {
    'ps pods images image img': {
      letters: 'aqlv',
      words: 'all quiet latest no-trunc verbose digests',
      values: {
        'o output': oneOf('json yaml table'),
        name: text,
        's state': name,
        namespace: name,
        'p pod': name,
        label: text,
        image: text,
        'n last': number,
      },
      operands: many(container, 0, 1),
    },
    logs: {
      ...logs,
      letters: 'tp',
      words: 'timestamps previous',
      values: { tail, since: time },
      adds: ({ options }) => (options.has('tail') || options.has('since') ? [] : ['--tail=1000']),
    },
    'stats statsp imagefsinfo': {
      letters: 'a',
      words: 'all',
      values: { 'o output': oneOf('json yaml table') },
      operands: containers,
    },
    'info version': { values: { 'o output': oneOf('json yaml') } },
  },
};

const releases = { values: { 'o output': oneOf('table json yaml'), 'n namespace': name } };
/** Not get values, manifest or all: passwords stand there. Nothing that fetches a chart. */
const helm: Program = {
  equals: true,
  values: { 'n namespace': name },
  verbs: {
    'list ls': {
      letters: 'Aadrq',
      words:
        'all-namespaces all deployed failed pending superseded uninstalled uninstalling date reverse short no-headers',
      values: {
        ...releases.values,
        'f filter': text,
        'm max': number,
        offset: number,
        'l selector': text,
        'time-format': text,
      },
    },
    status: {
      words: 'show-desc show-resources',
      // As JSON or YAML it is the whole release, with its values and its manifest.
      values: { ...releases.values, 'o output': oneOf('table'), revision: number },
      operands: many(name, 1, 1),
    },
    'history hist': { values: { ...releases.values, max: number }, operands: many(name, 1, 1) },
    get: {
      verbs: {
        notes: { values: { revision: number }, operands: many(name, 1, 1) },
        metadata: { values: { ...releases.values, revision: number }, operands: many(name, 1, 1) },
      },
    },
    version: { words: 'short client', values: { template: text } },
    repo: { verbs: { 'list ls': { values: releases.values } } },
  },
};

export const containersAndCharts: Programs = {
  'docker podman nerdctl': docker,
  crictl,
  helm,
  istioctl: {
    verbs: { 'proxy-status ps': { values: { 'n namespace': name }, operands: many(name, 0, 1) }, version: {} },
  },
  ctr: {
    values: { 'n namespace': name },
    verbs: {
      'containers c container': { verbs: { 'list ls': { letters: 'q' } } },
      'images i image': { verbs: { 'list ls': { letters: 'q' } } },
      'tasks t task': { verbs: { 'list ls': { letters: 'q' } } },
      'namespaces ns namespace': { verbs: { 'list ls': { letters: 'q' } } },
    },
  },
};
