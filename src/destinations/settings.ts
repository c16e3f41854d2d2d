/** The settings destinations are made from; `Config` satisfies it. */
export interface DestinationSettings {
  readonly STATE_DIR: string;
  readonly REPORT_DIR?: string | undefined;
  readonly REPORT_KEEP_DAYS: number;
  readonly SLACK_BOT_TOKEN?: string | undefined;
  readonly SLACK_CHANNEL?: string | undefined;
  readonly SLACK_WEBHOOK_URL?: string | undefined;
  readonly SLACK_API_URL: string;
  readonly PAGERDUTY_API_TOKEN?: string | undefined;
  readonly PAGERDUTY_API_URL: string;
  readonly PAGERDUTY_FROM?: string | undefined;
  readonly PAGERDUTY_NOTES: boolean;
  readonly JIRA_URL?: string | undefined;
  readonly JIRA_DEPLOYMENT: 'cloud' | 'datacenter';
  readonly JIRA_EMAIL?: string | undefined;
  readonly JIRA_TOKEN?: string | undefined;
  readonly JIRA_PROJECT?: string | undefined;
  readonly JIRA_ISSUE_TYPE: string;
  readonly JIRA_LABELS?: readonly string[] | undefined;
  readonly GITHUB_ISSUES_TOKEN?: string | undefined;
  readonly GITHUB_ISSUES_REPOSITORY?: string | undefined;
  readonly GITHUB_API_URL: string;
  readonly TEAMS_WORKFLOW_URL?: string | undefined;
  readonly REPORT_WEBHOOK_URL?: string | undefined;
  readonly REPORT_WEBHOOK_SECRET?: readonly string[] | undefined;
  readonly REPORT_WEBHOOK_ALLOW_PRIVATE: boolean;
}
