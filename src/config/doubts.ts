import type { Config } from './schema.ts';

/** A value that has the right form, and that its vendor will not take, or may not. */
export interface Doubt {
  readonly setting: keyof Config;
  readonly message: string;
  /** False where a proxy or a stand-in may be meant. */
  readonly isFatal: boolean;
}

/** How sure one can be: not at all of what is on this machine, since somebody put it there. */
type Judge = (setting: keyof Config, message: string) => readonly Doubt[];

const SLACK = /(?:^|\.)slack(?:-gov)?\.com$/;
const SLACK_HOOKS = /^hooks\.slack(?:-gov)?\.com$/;
const PAGERDUTY = /(?:^|\.)pagerduty\.com$/;
const PAGERDUTY_API = /^api\.(?:[a-z]+\.)?pagerduty\.com$/;
const ATLASSIAN = /(?:^|\.)(?:atlassian\.net|jira-dev\.com)$/;
const WORKFLOWS = /(?:^|\.)(?:logic\.azure\.(?:com|us|cn)|powerplatform\.(?:com|us|cn))$/;
/** Connectors of Office 365, which no longer exist. */
const CONNECTORS = /(?:^|\.)(?:webhook\.office\.com|outlook\.office\.com|outlook\.office365\.com)$/;
const LOOPBACK = /^(?:localhost|127(?:\.\d+){3}|\[::1\])$/;
/** What examples have where a secret belongs: `xoxb-…`, `your-token`, `<token>`, `changeme`, `${TOKEN}`. */
const PLACEHOLDER =
  /…|%E2%80%A6|\.\.\.$|^<.*>$|^\$\{?\w+\}?$|^(?:[a-z]+[-_]){0,2}(?:your[-_ ].*|x{3,}|\*{3,}|change[-_]?me|replace[-_]?me|todo|placeholder)$|\/T0{8,}\/B0{8,}\/|^https?:\/\/(?:www\.)?example\.(?:com|org|net)\b/i;
const EXAMPLE_CHANNEL = 'C0123456789';

/** What can be told of settings without asking anybody. No message holds a value. */
export function doubtsAbout(config: Config): readonly Doubt[] {
  const placeholders = findPlaceholders(config);
  const others = [
    ...slack(config),
    ...slackWebhook(config),
    ...teams(config),
    ...pagerduty(config),
    ...jira(config),
    ...github(config),
    ...anthropic(config),
  ].filter(({ setting }) => !placeholders.some((placeholder) => placeholder.setting === setting));
  return [...placeholders, ...others];
}

/** Of these a placeholder can never be right. */
const OF_VENDORS = [
  'SLACK_BOT_TOKEN',
  'SLACK_WEBHOOK_URL',
  'PAGERDUTY_API_TOKEN',
  'JIRA_TOKEN',
  'GITHUB_ISSUES_TOKEN',
  'TEAMS_WORKFLOW_URL',
  'ANTHROPIC_API_KEY',
] as const;
/** What others have to show. */
const GUARDS = [
  'ALERTMANAGER_BEARER_TOKENS',
  'GRAFANA_BEARER_TOKENS',
  'GRAFANA_WEBHOOK_SECRET',
  'PAGERDUTY_WEBHOOK_SECRETS',
] as const;
/** Of these it may be what both sides have, and anybody can guess it. */
const OF_THE_HOUSE = ['PROMETHEUS_BEARER_TOKEN', ...GUARDS] as const;

export const NOT_SET_YET = 'is not set yet: it holds the placeholder of an example';

export function isPlaceholder(value: string): boolean {
  return PLACEHOLDER.test(value);
}

/** Settings that are to keep others out and hold what anybody can guess. */
export function guessableGuards(config: Config): readonly string[] {
  return GUARDS.filter((setting) => holdsPlaceholder(config[setting]));
}

function holdsPlaceholder(setting: Config[keyof Config]): boolean {
  return [setting].flat().some((value) => typeof value === 'string' && isPlaceholder(value));
}

function findPlaceholders(config: Config): readonly Doubt[] {
  const holdsOne = (setting: keyof Config) => holdsPlaceholder(config[setting]);
  const isExample = config.SLACK_CHANNEL === EXAMPLE_CHANNEL && SLACK.test(hostOf(config.SLACK_API_URL));
  return [
    ...OF_VENDORS.filter(holdsOne).map((setting) => fatal(setting, NOT_SET_YET)),
    ...OF_THE_HOUSE.filter(holdsOne).map((setting) => warning(setting, NOT_SET_YET)),
    ...(isExample ? [fatal('SLACK_CHANNEL', NOT_SET_YET)] : []),
  ];
}

function slack({ SLACK_API_URL: api, SLACK_BOT_TOKEN: token, SLACK_CHANNEL: channel }: Config): readonly Doubt[] {
  const judge = judgeOf(api, SLACK);
  return [
    ...(token === undefined || /^(?:xoxe\.)?xox[a-df-z]-/.test(token)
      ? []
      : judge('SLACK_BOT_TOKEN', 'must begin with xoxb-: the bot token of the app, under OAuth & Permissions')),
    ...(token?.startsWith('xoxp-')
      ? [
          warning(
            'SLACK_BOT_TOKEN',
            'is the token of a person, who reports will seem to come from; a bot token begins with xoxb-',
          ),
        ]
      : []),
    ...(token === undefined || channel === undefined || isSlackChannel(channel)
      ? []
      : judge('SLACK_CHANNEL', SLACK_CHANNEL_FORM)),
  ];
}

export const SLACK_CHANNEL_FORM =
  'must be the id of a channel, such as C01ABCDEF23, and not its name: in Slack, click on the name; the id stands at the end of About';

/** Names are taken by some methods of Slack and not by those that look for posts, so reports would be posted twice. */
export function isSlackChannel(text: string): boolean {
  return /^[CGDUW][A-Z0-9]+$/.test(text);
}

export function slackWebhook({ SLACK_WEBHOOK_URL: address }: Pick<Config, 'SLACK_WEBHOOK_URL'>): readonly Doubt[] {
  if (address === undefined) return [];
  const host = hostOf(address);
  if (!SLACK.test(host)) return elsewhere('SLACK_WEBHOOK_URL', host, 'hooks.slack.com');
  const isHook = SLACK_HOOKS.test(host) && /^\/services\/[^/]+\/[^/]+\/[^/]+$/.test(new URL(address).pathname);
  if (isHook && address.startsWith('https:')) return [];
  return [
    fatal(
      'SLACK_WEBHOOK_URL',
      'must be an incoming webhook, https://hooks.slack.com/services/T…/B…/…; no page or workflow of Slack takes reports',
    ),
  ];
}

export function teams({ TEAMS_WORKFLOW_URL: address }: Pick<Config, 'TEAMS_WORKFLOW_URL'>): readonly Doubt[] {
  if (address === undefined) return [];
  const host = hostOf(address);
  if (CONNECTORS.test(host))
    return [
      fatal('TEAMS_WORKFLOW_URL', 'is an Office 365 connector, and these were retired: make a Power Automate workflow'),
    ];
  if (!WORKFLOWS.test(host)) return elsewhere('TEAMS_WORKFLOW_URL', host, 'a Power Automate workflow');
  if (new URL(address).searchParams.has('sig')) return [];
  return [
    fatal(
      'TEAMS_WORKFLOW_URL',
      'ends before its signature (sig=…): copy all of it, and put it in quotes, since a shell ends at &',
    ),
  ];
}

function pagerduty({ PAGERDUTY_API_URL: api, PAGERDUTY_API_TOKEN: token }: Config): readonly Doubt[] {
  const host = hostOf(api);
  if (PAGERDUTY.test(host) && !PAGERDUTY_API.test(host))
    return [
      fatal(
        'PAGERDUTY_API_URL',
        'is not the REST API, which is https://api.pagerduty.com, in the EU https://api.eu.pagerduty.com',
      ),
    ];
  if (token === undefined) return [];
  if (/^[0-9a-f]{32}$/.test(token))
    return judgeOf(api, PAGERDUTY)(
      'PAGERDUTY_API_TOKEN',
      'is an integration key, which sends events; a REST API key is needed',
    );
  if (!PAGERDUTY.test(host) || /^[\w+-]{20}$/.test(token)) return [];
  return [warning('PAGERDUTY_API_TOKEN', 'does not look like a REST API key, which has 20 characters')];
}

function jira({ JIRA_URL: address, JIRA_DEPLOYMENT: deployment, JIRA_EMAIL: email }: Config): readonly Doubt[] {
  if (address === undefined) return [];
  const host = hostOf(address);
  if (!ATLASSIAN.test(host)) {
    const mayBeCloud = deployment === 'datacenter' || host === 'api.atlassian.com' || LOOPBACK.test(host);
    const message = `is cloud, but JIRA_URL leads to ${host}: set datacenter, unless that is a domain of yours for Jira Cloud`;
    return mayBeCloud ? [] : [warning('JIRA_DEPLOYMENT', message)];
  }
  return [
    ...(deployment === 'cloud' ? [] : [fatal('JIRA_DEPLOYMENT', `must be cloud: JIRA_URL leads to ${host}`)]),
    ...(new URL(address).pathname === '/' ? [] : [fatal('JIRA_URL', `must end after the host: https://${host}`)]),
    ...(email === undefined
      ? [warning('JIRA_EMAIL', 'is not set: Jira Cloud takes API tokens only together with it')]
      : []),
  ];
}

function github({ GITHUB_API_URL: api, GITHUB_ISSUES_TOKEN: token }: Config): readonly Doubt[] {
  const host = hostOf(api);
  if (/^(?:www\.)?github\.com$/.test(host))
    return [fatal('GITHUB_API_URL', 'is the web site; the API is https://api.github.com')];
  const isApi = LOOPBACK.test(host) || host.startsWith('api.') || api.endsWith('/api/v3');
  const isToken = token === undefined || /^(?:gh[a-z]_|github_pat_|[0-9a-f]{40}$)/.test(token);
  return [
    ...(isApi ? [] : [warning('GITHUB_API_URL', 'does not end in /api/v3, where the API of an Enterprise Server is')]),
    ...(isToken || host !== 'api.github.com'
      ? []
      : [warning('GITHUB_ISSUES_TOKEN', 'does not look like a token of GitHub: those begin with github_pat_ or ghp_')]),
  ];
}

function anthropic({ ANTHROPIC_BASE_URL: api, ANTHROPIC_API_KEY: key }: Config): readonly Doubt[] {
  if (key === undefined || key.startsWith('sk-ant-') || hostOf(api) !== 'api.anthropic.com') return [];
  return [warning('ANTHROPIC_API_KEY', 'does not look like a key of the Anthropic API: those begin with sk-ant-')];
}

/** At the vendor itself it can never work; elsewhere something may stand in for it. */
function judgeOf(address: string, vendor: RegExp): Judge {
  const host = hostOf(address);
  if (LOOPBACK.test(host)) return () => [];
  return (setting, message) => [{ setting, message, isFatal: vendor.test(host) }];
}

function elsewhere(setting: keyof Config, host: string, usual: string): readonly Doubt[] {
  if (LOOPBACK.test(host)) return [];
  return [warning(setting, `leads to ${host} and not to ${usual}: right only where something there stands in for it`)];
}

const fatal = (setting: keyof Config, message: string): Doubt => ({ setting, message, isFatal: true });
const warning = (setting: keyof Config, message: string): Doubt => ({ setting, message, isFatal: false });

function hostOf(address: string): string {
  return URL.canParse(address) ? new URL(address).hostname : '';
}
