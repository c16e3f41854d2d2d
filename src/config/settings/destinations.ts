import { z } from 'zod';
import { flag, integer, list, token, url } from './kinds.ts';

export const jiraProject = z.string().regex(/^[A-Z][A-Z0-9_]{1,49}$/, 'must be the key of a project, such as OPS');
export const githubRepository = z.string().regex(/^[\w.-]+\/[\w.-]+$/, 'must have the form owner/name');
export const signingSecrets = list.refine(
  (secrets) => secrets.length > 0 && secrets.every((secret) => /^whsec_[A-Za-z0-9+/=]{32,88}$/.test(secret)),
  'must have the form whsec_<base64 of 24 to 64 bytes>; several are comma separated',
);

export const destinations = {
  ROUTES_FILE: z
    .string()
    .optional()
    .describe(
      'YAML with rules by label matchers: which destinations are told of what, what is muted and until when, and further destinations (docs/routing.md). Unset: everything goes to all.',
    ),
  REPORT_DIR: z.string().optional().describe('Folder for reports as JSON files. Unset: STATE_DIR/reports.'),
  REPORT_KEEP_DAYS: integer(0, 3650)
    .default(90)
    .describe('Days after which a report in REPORT_DIR, or in a folder of ROUTES_FILE, is removed. 0: never.'),
  SLACK_BOT_TOKEN: token
    .optional()
    .describe('Bot token. Full mode: threads, updates, pictures. docs/slack.md names the scopes.')
    .meta({ secret: true }),
  SLACK_CHANNEL: z.string().optional().describe('Channel id that reports go to; needed with SLACK_BOT_TOKEN.'),
  SLACK_WEBHOOK_URL: url
    .optional()
    .describe('Incoming webhook. Reduced mode: no threads, no edits, no pictures.')
    .meta({ secret: true }),
  SLACK_API_URL: url.default('https://slack.com/api').describe('Base URL of the Slack Web API.'),
  PAGERDUTY_NOTES: flag
    .default(true)
    .describe('With PAGERDUTY_API_TOKEN: write the report as a note on the PagerDuty incident that it is about.'),
  PAGERDUTY_FROM: z
    .email({ error: 'must be the e-mail address of a PagerDuty user, not a name or an id' })
    .optional()
    .describe('E-mail address of the PagerDuty user who signs notes; needed with an account-level API key.'),
  JIRA_URL: url
    .optional()
    .describe('Base URL of Jira, such as https://acme.atlassian.net. Set: an issue is opened for every incident.'),
  JIRA_DEPLOYMENT: z
    .enum(['cloud', 'datacenter'])
    .default('cloud')
    .describe('What JIRA_URL is: cloud, or datacenter (also Server).'),
  JIRA_EMAIL: z
    .email({ error: 'must be the e-mail address of the Jira user' })
    .optional()
    .describe(
      'User of JIRA_TOKEN: needed with an API token of Jira Cloud. Unset: the token is sent as a bearer token.',
    ),
  JIRA_TOKEN: token
    .optional()
    .describe('API token (Cloud) or personal access token (Data Center) of a user who may create and comment issues.')
    .meta({ secret: true }),
  JIRA_PROJECT: jiraProject.optional().describe('Key of the project that issues are opened in.'),
  JIRA_ISSUE_TYPE: z.string().min(1).default('Task').describe('Type of the issues.'),
  JIRA_LABELS: list
    .refine((labels) => labels.every((label) => !/\s/.test(label) && label.length <= 255), 'labels hold no blanks')
    .optional()
    .describe('Further labels of the issues, comma separated.'),
  // Not GITHUB_TOKEN and GITHUB_REPOSITORY: shells and CI systems set those, and nobody asked for issues there.
  GITHUB_ISSUES_TOKEN: token
    .optional()
    .describe('Token with Issues: read and write. Set: an issue is opened for every incident.')
    .meta({ secret: true }),
  GITHUB_ISSUES_REPOSITORY: githubRepository
    .optional()
    .describe('Repository that issues are opened in, owner/name; needed with GITHUB_ISSUES_TOKEN.'),
  GITHUB_API_URL: url
    .default('https://api.github.com')
    .describe('Base URL of the GitHub API; https://HOST/api/v3 for an Enterprise Server.'),
  TEAMS_WORKFLOW_URL: url
    .optional()
    .describe('URL of a Power Automate workflow that posts Adaptive Cards to a Teams channel.')
    .meta({ secret: true }),
  REPORT_WEBHOOK_URL: url.optional().describe('URL that receives every report as a signed Standard Webhooks request.'),
  REPORT_WEBHOOK_SECRET: signingSecrets
    .optional()
    .describe('Signing secret of REPORT_WEBHOOK_URL; two, comma separated, while the receiver changes it.')
    .meta({ secret: true }),
  REPORT_WEBHOOK_ALLOW_PRIVATE: flag
    .default(false)
    .describe('Allow REPORT_WEBHOOK_URL to resolve to a private or loopback address.'),
} as const;
