import { spoken } from './spoken.ts';

/** What was changed, without kind and service, which the sentence around it names. The statement of a change is `<kind> of <service>: <summary>`. */
export function changeInWords(statement: string, service: string): string {
  const start = ` of ${service}: `;
  const at = statement.indexOf(start);
  const summary = at < 0 ? statement : statement.slice(at + start.length);
  return spoken(inShort(summary, service) || statement, 200);
}

/** Which generated names came and went stands in the evidence; what differs between them is what matters. */
const ROLLOUT =
  /^(?:(?:Deployment|StatefulSet|DaemonSet) \S+ rolled out \S+ \S+ in place of \S+ \S+|ReplicaSet \S+ replaced \S+): (.+)$/s;
/** Old and new reference of one repository. */
const IMAGE = /\bimage of (\S+) (\S+):([^\s:/]+) → \2:([^\s:/;]+)/g;

function inShort(summary: string, service: string): string {
  const [, difference] = ROLLOUT.exec(summary) ?? [];
  if (difference === undefined) return summary;
  const said = difference.replace(
    IMAGE,
    (_, container: string, repository: string, from: string, to: string) =>
      `image${container === service ? '' : ` of ${container}`} ${repository}:${from} → ${to}`,
  );
  return `rollout, ${said}`;
}
