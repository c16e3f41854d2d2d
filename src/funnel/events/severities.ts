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
    /errimagepull|imagepullbackoff|invalidimagename|errimageneverpull|failed to pull image|manifest unknown/i,
    1,
    'image_pull',
  ),
  row(
    /createcontainerconfigerror|createcontainererror|couldn't find key|(configmap|secret) ".*" not found/i,
    1,
    'config_change',
  ),
  row(/oomkill|out of memory/i, 0.95, 'memory_exhaustion'),
  row(/exceeded quota/i, 0.95, 'quota'),
  row(/serviceaccount ".*" not found|error looking up service account/i, 0.95, 'permission'),
  row(/failedcreate\b/i, 0.9, 'config_change'),
  row(
    /containercannotrun|runcontainererror|starterror|exec format error|executable file not found/i,
    0.95,
    'config_change',
  ),
  row(/crashloopbackoff|back-?off restarting/i, 0.9, 'code_error'),
  row(/multi-attach|failedattachvolume|failedmount|failedbinding|provisioningfailed/i, 0.9, 'config_change'),
  row(
    /failedscheduling|unschedulable|insufficient (cpu|memory|ephemeral)|didn't match|untolerated taint/i,
    0.9,
    'scheduling',
  ),
  row(/failedtoupdateendpoint|no endpoints available/i, 0.85, 'config_change'),
  row(/evict|preempt/i, 0.85, 'scheduling'),
  row(/diskpressure|freediskspacefailed|imagegcfailed|no space left/i, 0.85, 'disk_full'),
  row(/memorypressure|systemoom/i, 0.85, 'memory_exhaustion'),
  row(/pidpressure/i, 0.8, 'node_failure'),
  row(/progressdeadlineexceeded|backofflimitexceeded|deadlineexceeded/i, 0.8, 'deployment_change'),
  row(/(liveness|startup) probe failed/i, 0.75, 'probe_failure'),
  row(/nodenotready|node is not ready|nodestatusunknown|nodehasdisappeared|networkunavailable/i, 0.75, 'node_failure'),
  row(/failedcreatepodsandbox|networknotready|failedpoststarthook|failedkillpod/i, 0.7, 'node_failure'),
  row(/x509|certificate/i, 0.7, 'certificate'),
  row(/forbidden|unauthorized/i, 0.6, 'permission'),
  row(/readiness probe failed|unhealthy/i, 0.6, 'probe_failure'),
  row(/no such host|name resolution/i, 0.6, 'dns'),
  row(/connection refused|i\/o timeout/i, 0.5, 'dependency_failure'),
] as const;

/** Warnings of clusters that work: about metrics, limits of the node's own files, credentials that turn out not to be needed. */
const HARMLESS =
  /^(DNSConfigForming|FailedToRetrieveImagePullSecret|FailedGet\w*Metrics?|FailedComputeMetricsReplicas|InvalidDiskCapacity|CheckLimitsForResolvConf|NodeSysctlChange|ClusterIPNotAllocated)$/;

/** A warning that names no known trouble still is one. */
export function judgeWarning(reason: string, message: string): Judgement {
  if (HARMLESS.test(reason)) return { severity: 0.1, type: 'unknown' };
  return judgeText(`${reason} ${message}`) ?? { severity: 0.35, type: 'unknown' };
}

/** The gravest meaning found in the text; undefined when it says nothing known. */
export function judgeText(text: string): Judgement | undefined {
  let gravest: Judgement | undefined;
  for (const { pattern, severity, type } of MEANINGS) {
    if (severity > (gravest?.severity ?? 0) && pattern.test(text)) gravest = { severity, type };
  }
  return gravest;
}
