/** What `rootnote --help` prints. */
export const USAGE = `rootnote: receives alerts, investigates them read-only, posts a root-cause report

  rootnote all                       receive, investigate, deliver and run scheduled checks in one process
  rootnote serve | work | schedule   one role
  rootnote investigate ALERT.json    one investigation of a webhook body, without a queue
  rootnote investigate --recording DIR
      --until SECONDS                as it stood so long after the alert: later samples, lines, spans, events and
                                     changes are hidden; object snapshots cannot be rewound and stay
      --second-look SECONDS          look again so long after the alert, and say what has changed since --until
      --offline                      no model: the offline analyst
      --brief                        print the brief, too: what the analyst and the model read
      --json                         only the report, as JSON, on stdout
  rootnote doctor [--json]           what is configured and reachable
  rootnote doctor --route 'severity=critical,team=payments' [--json]
                                     which destinations an alert with these labels reaches, and whether it is muted now
  rootnote incidents list [--checks] | show ID [--json]
                                     what is open, since when, what joined which investigation, and every decision with
                                     its reason; ID of an incident or a storm: inc_…, storm_…; with --checks the latest
                                     runs of scheduled checks instead
  rootnote reports list [--checks] | show ID [--json]
  rootnote reports show ID --timeline FILE.png
                                     the evidence in time, as a picture
  rootnote deliveries list [--json]  what a destination was not told: what was given up, when and why, and what waits
  rootnote deliveries retry ID [DESTINATION]
                                     send again what was given up
  rootnote sessions list | show ID [--json]
                                     ID of the report, the session or the incident: rep_…, ses_…, inc_…; the beginning
                                     of an id is enough when no other begins so
  rootnote skills list | show NAME [--json]
                                     playbooks: the built-in ones and those of SKILLS_DIR
  rootnote memory list [--json] | path
  rootnote memory add 'SUBJECT: ATTRIBUTE = VALUE' | 'X depends_on Y'
                                     facts that outlive an incident
  rootnote check list [--json]       scheduled checks: the last tick and its result, the next, what was missed, and every
                                     mistake in their files; exit code 1 when one is broken, or JOBS_DIR leads nowhere
  rootnote check run NAME | FILE.md  one check now, enabled or not, without a queue; tells no destination
      --recording DIR                on a recording, as it was at its end
      --offline                      no model
      --json                         only the report, as JSON, on stdout; exit code 3 when something was found, 1 when
                                     nothing could be looked at
  rootnote mcp list [--json]         tools of the MCP servers, with what a review needs; exit code 1 when one is away
  rootnote sources list [--json]     who may send alerts, where, and how each is protected
  rootnote sources try NAME FILE [--header NAME=VALUE]… [--json]
                                     what a sample body becomes at this source, or why it is refused; stores nothing
  rootnote classify < COMMANDS        one JSON string a line: the class of each command line and whether it may run
  rootnote redact < TEXTS             one JSON string a line: the text without its secrets, and the types of what was found
  rootnote --help | --version

Exit codes: 0 done; 1 it failed: doctor found something broken, or investigate wrote its report without any telemetry;
2 the command line, a setting or the input is wrong.

Settings are environment variables: see .env.example and docs/configuration.md.
`;
