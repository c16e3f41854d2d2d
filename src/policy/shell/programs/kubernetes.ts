import type { Check, Operands, Program, Programs } from '../grammar.ts';
import { duration, many, matching, name, number, oneOf, text } from '../values.ts';

const SECRET = /^secrets?(?:[./]|$)/i;
const resourceWord = matching(/^[A-Za-z0-9][\w.:/-]*$/, 'a resource');
const selector = matching(/^[\w./:=!,() -]+$/, 'a selector');
const yesOrNo = oneOf('true false');
const fieldPath = matching(/^[\w.{}[\]()@'"?=*,/:$-]+$/, 'a path of a field');
/** Templates come on the line: those that are read from a file (`…-file`) are not listed. */
const output: Check = matching(
  /^(name|wide|json|yaml|(jsonpath|jsonpath-as-json|custom-columns|go-template)=.+)$/,
  'an output format',
);

/** `pods`, `deploy/web`, `pods,svc`: in every spelling but secrets. */
const resource: Check = (value, note) =>
  value
    .split(',')
    .map((item) =>
      SECRET.test(item) || /\/secrets?(\/|$)/i.test(item) ? 'Secrets are not shown' : resourceWord(item, note),
    )
    .find(Boolean);

const resources: Operands = many(resource, 1);

const selecting = { 'l selector': selector, 'field-selector': selector };
const printing = { 'o output': output, 'sort-by': fieldPath, 'L label-columns': matching(/^[\w./,-]+$/, 'labels') };

const get: Program = {
  letters: 'A',
  words: 'all-namespaces show-labels no-headers show-kind ignore-not-found',
  optional: { 'show-managed-fields': yesOrNo },
  values: { ...selecting, ...printing, subresource: oneOf('status scale'), 'chunk-size': number },
  attached: { 'watch w': oneOf('false') },
  operands: resources,
};

/** `0s` is the beginning of time. */
const sinceWhen: Check = (value, note) => (/[1-9]/.test(value) ? duration(value, note) : 'a duration above zero');

/** A bound is put in where none is given: the log of a pod may be gigabytes. */
const logs: Program = {
  letters: 'p',
  words: 'previous timestamps prefix all-containers all-pods ignore-errors',
  values: {
    'c container': name,
    tail: matching(/^\d{1,6}$/, 'a number of lines'),
    since: sinceWhen,
    'since-time': matching(/^[\dTZ:.+-]+$/, 'a time'),
    'l selector': selector,
    'limit-bytes': matching(/^[1-9]\d{0,8}$/, 'a number of bytes'),
    'max-log-requests': number,
  },
  attached: { 'follow f': oneOf('false') },
  operands: many(resource, 0, 2),
  rule: ({ operands, options }) => (operands.length > 0 || options.has('l') ? undefined : 'needs a pod or a selector'),
  adds: ({ options }) =>
    ['tail', 'since', 'since-time', 'limit-bytes'].some((option) => options.has(option)) ? [] : ['--tail=1000'],
};

/** What is not here is a verb that changes something, shows credentials, follows, or a plugin. */
export const kubernetes: Programs = {
  kubectl: {
    // Not --kubeconfig, --context, --server, --token, --as, --raw, -f, -k: another cluster, another identity, another file.
    equals: true,
    values: { 'n namespace': name, 'request-timeout': duration },
    verbs: {
      get,
      describe: {
        letters: 'A',
        words: 'all-namespaces',
        optional: { 'show-events': yesOrNo },
        values: selecting,
        operands: resources,
      },
      'logs log': logs,
      top: {
        verbs: {
          'pods pod po': {
            letters: 'A',
            words: 'all-namespaces containers no-headers sum',
            values: { ...selecting, 'sort-by': oneOf('cpu memory') },
            operands: many(name),
          },
          'nodes node no': {
            words: 'no-headers show-capacity',
            values: { ...selecting, 'sort-by': oneOf('cpu memory') },
            operands: many(name),
          },
        },
      },
      events: {
        letters: 'A',
        words: 'all-namespaces no-headers',
        values: {
          for: resource,
          types: matching(/^[\w,]+$/, 'a list of types'),
          'o output': output,
          'l selector': selector,
        },
      },
      explain: {
        words: 'recursive',
        values: { 'api-version': text, 'o output': oneOf('plaintext plaintext-openapiv2') },
        operands: many(resourceWord, 1, 1),
      },
      version: { words: 'client short', values: { 'o output': oneOf('json yaml') } },
      'api-resources': {
        words: 'no-headers cached',
        optional: { namespaced: yesOrNo },
        values: { 'api-group': text, verbs: text, 'o output': oneOf('name wide'), 'sort-by': oneOf('name kind') },
      },
      'api-versions': {},
      'cluster-info': {},
      auth: {
        verbs: {
          'can-i': {
            letters: 'Aq',
            words: 'all-namespaces list quiet no-headers',
            values: { subresource: name },
            operands: many(matching(/^(\*|[A-Za-z0-9/][\w.:/*-]*)$/, 'a verb or resource'), 0, 3),
          },
          whoami: { values: { 'o output': oneOf('json yaml') } },
        },
      },
      rollout: {
        verbs: {
          // It waits for the end of a rollout unless it is told not to.
          status: {
            attached: { 'watch w': oneOf('false') },
            values: { revision: number, timeout: duration, 'l selector': selector },
            operands: resources,
            adds: ({ options }) => (options.has('watch') ? [] : ['--watch=false']),
          },
          history: {
            values: { revision: number, 'l selector': selector, 'o output': oneOf('json yaml name') },
            operands: resources,
          },
        },
      },
    },
  },
};
