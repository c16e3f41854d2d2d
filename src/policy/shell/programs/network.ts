import type { Note, Program, Programs } from '../grammar.ts';
import { address, many, matching, name, number, oneOf, text } from '../values.ts';

const interfaceName = matching(/^[A-Za-z][\w.:@-]*$/, 'an interface');
/** `state established`, `( dport = :443 )`, `dst 10.0.0.0/8`. A name of a host would be looked up: asked of servers of the world. */
const filterWord = matching(
  /^(?!.*(?:[a-z_][\w-]*\.|\.[\w-]*[a-z_]))[\w.:*()=!<>/,[\] -]+$|^\/[\w./-]+$/i,
  'a filter by addresses in figures and ports',
);
/** Not a name: it would be looked up. */
const numericAddress = matching(/^(\d[\d./]*|[\da-fA-F]*:[\da-fA-F:.%/\w]*)$/, 'an address in figures');

const arp: Program = {
  letters: 'aenv',
  words: 'all numeric',
  values: { 'i device': interfaceName },
  operands: many(numericAddress, 0, 1),
};
const iptables: Program = {
  letters: 'nvx',
  words: 'numeric verbose exact line-numbers',
  values: { 't table': oneOf('filter nat mangle raw security') },
  // -L and -S take a chain as the next word.
  operands: many(matching(/^([A-Za-z][\w:-]*|\d{1,5})$/, 'a chain'), 0, 2),
};

/** Sockets, addresses, routes and rules, as they are; nothing is sent, nothing is set. */
export const network: Programs = {
  // Not -K (kills), -D (writes), -E (never ends), -N, -F.
  ss: {
    letters: 'naltuwxpiesomrHO460bZzT',
    words:
      'numeric all listening tcp udp raw unix processes info extended summary options memory resolve no-header oneline ipv4 ipv6 packet sctp tos bpf',
    values: {
      'A query socket': matching(/^[\w,]+$/, 'a list of tables'),
      'f family': oneOf('unix inet inet6 link netlink vsock tipc xdp'),
    },
    operands: many(filterWord),
  },
  // Not -c: it never ends.
  netstat: {
    letters: 'ralnptuxwiesgoNvW46FCM',
    words:
      'route interfaces groups statistics verbose wide numeric numeric-hosts numeric-ports extend programs timers listening all tcp udp raw unix symbolic inet inet6',
    values: { 'A protocol': name },
  },
  ip: { reads: readIp },
  arp,
  route: { letters: 'neFCv46', words: 'numeric extend' },
  ifconfig: { letters: 'asv', operands: many(interfaceName, 0, 1) },
  iwconfig: { operands: many(interfaceName, 0, 1) },
  // Lower case reads, but -s, -r, -p and -t: those set, restart, blink and test.
  ethtool: {
    letters: 'acgiklmnPSTux',
    words: 'show-features show-ring show-coalesce show-pause show-channels driver statistics show-eee',
    operands: many(interfaceName, 1, 1),
    rule: ({ options }) => (options.size > 1 ? 'takes one option' : undefined),
  },
  'iptables ip6tables iptables-nft iptables-legacy': {
    ...iptables,
    letters: 'nvxLS',
    words: `${iptables.words ?? ''} list list-rules`,
    rule: ({ options }) =>
      ['L', 'S', 'list', 'list-rules'].some((option) => options.has(option)) ? undefined : 'only lists: iptables -L -n',
  },
  'iptables-save ip6tables-save': {
    letters: 'c',
    words: 'counters',
    values: { 't table': oneOf('filter nat mangle raw security') },
  },
  nft: {
    letters: 'anyjs',
    words: 'handle numeric json stateless',
    verbs: { list: { operands: many(matching(/^[\w.-]+$/, 'a name'), 1, 4) } },
  },
  ipset: { letters: 'nto', verbs: { 'list save': { letters: 'nt', words: 'name terse', operands: many(name, 0, 1) } } },
  ipvsadm: {
    letters: 'Lln',
    words: 'list numeric stats rate connection timeout daemon',
    rule: ({ options }) =>
      ['L', 'l', 'list'].some((option) => options.has(option)) ? undefined : 'only lists: ipvsadm -Ln',
  },
  conntrack: {
    letters: 'LSCn',
    words: 'dump stats count',
    values: {
      'p proto': name,
      's src orig-src': address,
      'd dst orig-dst': address,
      'sport orig-port-src': number,
      'dport orig-port-dst': number,
      state: name,
      'o output': matching(/^[\w,]+$/, 'a format'),
    },
    operands: many(oneOf('conntrack expect'), 0, 1),
    rule: ({ options }) =>
      ['L', 'S', 'C', 'dump', 'stats', 'count'].some((option) => options.has(option))
        ? undefined
        : 'only lists: conntrack -L',
  },
  // Writes the history of its last call unless told not to.
  nstat: { letters: 'azsn', words: 'zeros noupdate', operands: many(name), adds: () => ['--noupdate'] },
  'firewall-cmd': {
    words:
      'state list-all list-all-zones list-ports list-services list-rich-rules get-active-zones get-default-zone get-zones permanent',
    values: { zone: name },
    rule: ({ options }) =>
      [...options.keys()].some((option) => /^(state|list|get)/.test(option))
        ? undefined
        : 'only lists: firewall-cmd --list-all',
  },
  ufw: { verbs: { status: { operands: many(oneOf('verbose numbered'), 0, 1) } } },
  bridge: {
    letters: 'sdjp',
    words: 'statistics details json pretty',
    oneDash: true,
    verbs: Object.fromEntries(
      ['link', 'fdb', 'vlan', 'mdb'].map((object) => [
        object,
        { oneDash: true, bare: true, verbs: { 'show list': { operands: many(matching(/^[\w.:-]+$/, 'a filter')) } } },
      ]),
    ),
  },
  tc: {
    oneDash: true,
    words: 's d statistics details j json p pretty',
    verbs: Object.fromEntries(
      ['qdisc', 'class', 'filter'].map((object) => [
        object,
        {
          oneDash: true,
          bare: true,
          verbs: { 'show list ls': { operands: many(matching(/^[\w.:-]+$/, 'a filter')) } },
        },
      ]),
    ),
  },
  brctl: {
    verbs: { show: { operands: many(interfaceName) }, 'showmacs showstp': { operands: many(interfaceName, 1, 1) } },
  },
  nmcli: {
    letters: 'tpg',
    values: { 'f fields': matching(/^[\w,.-]+$/, 'fields'), 'm mode': name },
    verbs: {
      'device dev d': { verbs: { 'status show': { operands: many(interfaceName, 0, 1) } }, bare: true },
      'general g': { verbs: { 'status hostname': {} }, bare: true },
      'connection con c': { verbs: { show: { words: 'active', operands: many(text, 0, 1) } }, bare: true },
    },
  },
  resolvectl: {
    words: 'no-pager',
    verbs: { 'status statistics dns domain': { operands: many(interfaceName, 0, 1) } },
    bare: true,
    adds: () => ['--no-pager'],
  },
  networkctl: {
    letters: 'a',
    words: 'no-pager all',
    verbs: { 'list status': { operands: many(interfaceName) }, lldp: {} },
    bare: true,
    adds: () => ['--no-pager'],
  },
  wg: {
    verbs: {
      show: {
        operands: (words, note) =>
          many(
            matching(
              /^(wg\w*|all|interfaces|peers|endpoints|latest-handshakes|transfer|listen-port)$/,
              'a part without keys',
            ),
            1,
            2,
          )(words, note, new Map()),
        rule: ({ operands }) =>
          operands.length === 2 || operands[0] === 'interfaces'
            ? undefined
            : 'shows keys; name a part: wg show all transfer',
      },
    },
  },
};

const IP_OPTION =
  /^-(s|stats|statistics|d|details|4|6|br|brief|o|oneline|j|json|p|pretty|c|color|color=never|r|resolve|h|human|ts|t|timestamp)$/;
const IP_OBJECT =
  /^(a|addr|address|l|link|r|ro|route|ru|rule|n|neigh|neighbor|neighbour|m|maddr|maddress|mroute|tunnel|tuntap|netns|netconf|nexthop|addrlabel|ntable|tcp_metrics|vrf|mptcp|sr|token)$/;
const IP_SHOW = /^(show|list|ls|lst|sh|s)$/;
const IP_FILTER = /^[\w.:/@%-]+$/;

/** `ip OBJECT`, `ip OBJECT show …`, `ip route get ADDRESS`. Behind `show` everything is a filter. */
function readIp(words: readonly string[], note: Note): string | undefined {
  let i = 0;
  while ((words[i] ?? '').startsWith('-')) {
    if (words[i] === '-V' || words[i] === '-Version') return words.length === 1 ? undefined : '-V stands alone';
    if (!IP_OPTION.test(words[i] ?? '')) return `option ${words[i] ?? ''} is not known to only read`;
    i++;
  }
  const [object = '', verb, ...filters] = words.slice(i);
  if (!IP_OBJECT.test(object)) return `'${object}' is not an object that is only shown`;
  if (verb === undefined) return undefined;
  if (/^r(o|oute)?$/.test(object) && verb === 'get') return filters.map((word) => address(word, note)).find(Boolean);
  if (!IP_SHOW.test(verb)) return `'${verb}' is not a verb that only reads`;
  // `ip link s` is `ip link set`: the first verb with that beginning.
  if (verb === 's' && /^l(ink)?$/.test(object)) return "'s' is short for set here; write show";
  const odd = filters.find((word) => !IP_FILTER.test(word) || word.startsWith('-'));
  return odd === undefined ? undefined : `'${odd}' is not a filter`;
}
