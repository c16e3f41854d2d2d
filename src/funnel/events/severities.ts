import type { RootCauseType } from '../../domain/root-cause-type.ts';

/** What a reason or message means by itself: `severity` 0–1 is how likely it alone explains an outage. */
export interface Judgement {
  readonly severity: number;
  readonly type: RootCauseType;
}

const row = (pattern: RegExp, severity: number, type: RootCauseType) => ({ pattern, severity, type });

/** By general Kubernetes meaning: what can never start by itself first, what may be a mere consequence last. */
const MEANINGS = [
  row(
    /errimagepull|imagepullbackoff|invalidimagename|errimageneverpull|imageinspecterror|registryunavailable|failed to pull image|back-?off pulling image|manifest unknown/i,
    1,
    'image_pull',
  ),
  row(
    /createcontainerconfigerror|createcontainererror|couldn't find key|(configmap|secret) ".*" not found/i,
    1,
    'config_change',
  ),
  row(/oomkill|out of memory/i, 0.95, 'memory_exhaustion'),
  row(/exceeded quota|failed quota/i, 0.95, 'quota'),
  // A LimitRange refuses in these words.
  row(/(maximum|minimum) [\w.-]+ usage per|must specify (limits|requests)|limit to request ratio per/i, 0.95, 'quota'),
  row(/serviceaccount ".*" not found|error looking up service account/i, 0.95, 'permission'),
  row(/violates podsecurity|unable to validate against any (security|pod)/i, 0.95, 'permission'),
  row(
    /no priorityclass with name|runtimeclass(\.\S+)? ".*" not found|runtimehandler .* not found/i,
    0.95,
    'config_change',
  ),
  row(/failed calling webhook|admission webhook ".*" denied/i, 0.92, 'config_change'),
  row(/failedcreate\b/i, 0.9, 'config_change'),
  row(
    /containercannotrun|runcontainererror|starterror|exec format error|executable file not found|no such file or directory: unknown|prestarthookerror|poststarthookerror/i,
    0.95,
    'config_change',
  ),
  row(/crashloopbackoff|back-?off restarting/i, 0.9, 'code_error'),
  row(
    /multi-attach|failedattachvolume|failedmount|failedmapvolume|failedbinding|provisioningfailed|unbound immediate|persistentvolumeclaim ".*" not found/i,
    0.9,
    'config_change',
  ),
  row(
    /failedscheduling|unschedulable|insufficient (cpu|memory|ephemeral)|didn't match|untolerated taint|didn't have free ports|^outof(cpu|memory|pods)\b|^nodeaffinity\b|^nodeports\b|unexpectedadmissionerror|topologyaffinityerror/i,
    0.9,
    'scheduling',
  ),
  row(/exceeds the total limit|local ephemeral storage usage/i, 0.9, 'disk_full'),
  row(/failedtoupdateendpoint|no endpoints available/i, 0.85, 'config_change'),
  row(/evict|preempt/i, 0.85, 'scheduling'),
  row(/diskpressure|freediskspacefailed|imagegcfailed|no space left/i, 0.85, 'disk_full'),
  row(/memorypressure|systemoom/i, 0.85, 'memory_exhaustion'),
  row(/pidpressure/i, 0.8, 'node_failure'),
  row(/progressdeadlineexceeded|backofflimitexceeded|deadlineexceeded/i, 0.8, 'deployment_change'),
  row(/nodenotready|node is not ready|nodestatusunknown|nodehasdisappeared|networkunavailable/i, 0.75, 'node_failure'),
  row(/failedpoststarthook|failedprestophook/i, 0.7, 'config_change'),
  row(
    /failedcreatepodsandbox|networknotready|failedkillpod|containerstatusunknown|container runtime (is )?(down|not)/i,
    0.7,
    'node_failure',
  ),
  row(/x509|certificate/i, 0.7, 'certificate'),
  row(/forbidden|unauthorized/i, 0.6, 'permission'),
  row(/unhealthy|probeerror|probewarning/i, 0.6, 'probe_failure'),
  row(/no such host|name resolution/i, 0.6, 'dns'),
  row(/connection refused|i\/o timeout/i, 0.5, 'dependency_failure'),
] as const;

/** Warnings of clusters that work: about metrics, limits of the node's own files, credentials that turn out not to be needed. */
const HARMLESS =
  /^(DNSConfigForming|FailedToRetrieveImagePullSecret|FailedGet\w*Metrics?|FailedComputeMetricsReplicas|InvalidDiskCapacity|CheckLimitsForResolvConf|NodeSysctlChange|ClusterIPNotAllocated)$/;

/** What every start of a pod may see once, while caches of its node are filled. */
const PASSING = /failed to sync (configmap|secret) cache|object ".*" not registered/i;

/** A warning that names no known trouble still is one. */
export function judgeWarning(reason: string, message: string): Judgement {
  if (HARMLESS.test(reason) || PASSING.test(message)) return { severity: 0.1, type: 'unknown' };
  return judgeText(`${reason} ${message}`) ?? { severity: 0.35, type: 'unknown' };
}

/**
 * Failed probes by what they answer: what was never there (a path, a command) is a wrong probe, an error of the process may be anything,
 * and a liveness probe ends what it finds dead.
 */
const PROBE_ANSWERS = [
  {
    pattern: /executable file not found|no such file|not found in \$PATH|permission denied/i,
    readiness: 0.85,
    other: 0.9,
  },
  { pattern: /statuscode: ?(30\d|40[0-7]|41\d)/i, readiness: 0.85, other: 0.88 },
  { pattern: /connection refused|unknown service/i, readiness: 0.7, other: 0.8 },
  { pattern: /statuscode: ?5\d\d/i, readiness: 0.55, other: 0.7 },
] as const;

function judgeProbe(text: string): Judgement | undefined {
  const [, probe = ''] = /(readiness|liveness|startup) probe (?:failed|errored)/i.exec(text) ?? [];
  if (!probe) return undefined;
  const isReadiness = probe.toLowerCase() === 'readiness';
  const answer = PROBE_ANSWERS.find(({ pattern }) => pattern.test(text)) ?? { readiness: 0.6, other: 0.75 };
  return { severity: isReadiness ? answer.readiness : answer.other, type: 'probe_failure' };
}

/** The gravest meaning found in the text; undefined when it says nothing known. */
export function judgeText(text: string): Judgement | undefined {
  const probe = judgeProbe(text);
  if (probe) return probe;
  let gravest: Judgement | undefined;
  for (const { pattern, severity, type } of MEANINGS) {
    if (severity > (gravest?.severity ?? 0) && pattern.test(text)) gravest = { severity, type };
  }
  return gravest;
}
