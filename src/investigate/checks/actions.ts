import type { Conclusion } from '../../domain/report.ts';
import { riskOfCommand } from '../../policy/read-only-command.ts';

type Step = Conclusion['action_plan'][number];

/** A step that tells someone to change something, whatever command stands beside it. */
const CHANGES =
  /^(?:please |then |first |now )?(?:re)?(?:start|boot|deploy|create|build|schedule|size|set|configure)\b|^(?:please |then |first |now )?(?:delete|remove|drop|truncate|purge|wipe|kill|stop|disable|enable|drain|cordon|evict|scale|roll (?:back|out)|rollback|revert|undo|apply|patch|edit|change|increase|raise|decrease|lower|reduce|move|migrate|fail ?over|promote|flush|clear|clean|rotate|renew|revoke|grant|block|unblock|install|upgrade|downgrade|write|overwrite|format|resize|expand|add|replace)\b/i;
const RUNS = /^(?:please |then |first |now )?(?:run|execute|exec)\b/i;
/** A quoted name is no command: only what begins with a program that changes things, or may. */
const QUOTED_COMMAND =
  /`((?:sudo\s+)?(?:kubectl|helm|docker|podman|crictl|systemctl|service|ssh|sh|bash|curl|wget|psql|mysql|redis-cli|mongosh?|aws|gcloud|az|terraform|ansible\S*|git|rm|mv|cp|dd|mkfs\S*|kill\w*|chmod|chown|iptables|nft|ip|tc|reboot|shutdown|truncate|tee|sed|npm|apt\S*|yum|dnf)\s[^`]+)`/gi;

/** While nothing is determined, a plan only looks: without the steps that would change something on the word of a lead. A sentence says how many. Pure. */
export function withoutGuesses(conclusion: Conclusion): {
  readonly conclusion: Conclusion;
  readonly removed: readonly string[];
} {
  const { status, action_plan: plan } = conclusion;
  const kept = status === 'inconclusive' ? plan.filter(({ risk }) => risk === 'R0') : plan;
  const count = plan.length - kept.length;
  if (count === 0) return { conclusion, removed: [] };
  const steps = count === 1 ? '1 proposed step that changes' : `${count} proposed steps that change`;
  return {
    conclusion: { ...conclusion, action_plan: kept },
    removed: [`${steps} something, for nothing is determined.`],
  };
}

/**
 * The risk that a step is shown with: never below what its own words and commands amount to. Only commands that are known to read, or a step that tells
 * nobody to change anything, stay R0; above R0 a step needs approval, whatever the conclusion says.
 */
export function judgeRisk(step: Step): Step {
  const quoted = [...step.step.matchAll(QUOTED_COMMAND)].map(([, command = '']) => command.trim());
  const commands = [...(step.command === undefined ? [] : [step.command]), ...quoted];
  const words = step.step.trim();
  // What is run says the command, if there is one.
  const told = CHANGES.test(words) || (commands.length === 0 && RUNS.test(words)) ? (['R2'] as const) : [];
  // How far a change undoes itself, its writer may know better, but not that it destroys nothing.
  const least = [...commands.map(riskOfCommand), ...told].filter((risk) => step.risk === 'R0' || risk === 'R3');
  const risk = [step.risk, ...least].toSorted().at(-1) ?? step.risk;
  return { ...step, risk, needs_approval: step.needs_approval || risk !== 'R0' };
}
