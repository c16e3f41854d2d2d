import { at, listAt, numberAt, textAt, timeAt } from '../../../funnel/events/json-path.ts';
import { judgeName } from '../../../policy/redaction/names.ts';
import { momentText } from '../moments.ts';
import { fact, facts, pairs, quoted } from './facts.ts';

/** What a pod spec, or the template of a workload, configures: images, resources, probes, environment, volumes. */
export function podSpecFacts(spec: unknown): readonly string[] {
  const containers = [...listAt(spec, 'initContainers'), ...listAt(spec, 'containers')];
  return [
    ...containers.flatMap(containerFacts),
    ...facts('volumes', listAt(spec, 'volumes').map(volumeText)),
    ...fact('service account', textAt(spec, 'serviceAccountName')),
    ...fact('priority class', textAt(spec, 'priorityClassName')),
    ...facts('node selector', pairs(spec, 'nodeSelector')),
    ...(at(spec, 'affinity') === undefined ? [] : [`affinity ${quoted(JSON.stringify(at(spec, 'affinity')))}`]),
    ...fact('dns policy', textAt(spec, 'dnsPolicy')),
  ];
}

function containerFacts(container: unknown): readonly string[] {
  const name = textAt(container, 'name') ?? 'container';
  const probes = ['readinessProbe', 'livenessProbe', 'startupProbe'].flatMap((kind) =>
    at(container, kind) === undefined ? [] : [`${kind} ${probeText(at(container, kind))}`],
  );
  const command = [...listAt(container, 'command'), ...listAt(container, 'args')].filter((w) => typeof w === 'string');
  const parts = [
    ...fact('image', textAt(container, 'image')),
    ...facts('requests', pairs(container, 'resources', 'requests')),
    ...facts('limits', pairs(container, 'resources', 'limits')),
    ...facts('ports', listAt(container, 'ports').map(portText)),
    ...(command.length > 0 ? [`runs ${quoted(command.join(' '))}`] : []),
    ...probes,
    ...facts(
      'env',
      [...listAt(container, 'env').map(variableText), ...listAt(container, 'envFrom').map(sourceText)],
      30,
    ),
  ];
  return [`container ${name}: ${parts.join(', ')}`];
}

function portText(port: unknown): string {
  const name = textAt(port, 'name');
  return `${numberAt(port, 'containerPort') ?? '?'}${name ? ` (${name})` : ''}`;
}

/** What a probe asks and how patient it is. */
function probeText(probe: unknown): string {
  const http = at(probe, 'httpGet');
  const asks =
    http !== undefined
      ? `GET ${textAt(http, 'path') ?? '/'} on ${textAt(http, 'port') ?? numberAt(http, 'port') ?? '?'}`
      : at(probe, 'tcpSocket') !== undefined
        ? `TCP ${textAt(probe, 'tcpSocket', 'port') ?? numberAt(probe, 'tcpSocket', 'port') ?? '?'}`
        : at(probe, 'grpc') !== undefined
          ? `gRPC ${numberAt(probe, 'grpc', 'port') ?? '?'}`
          : `exec ${quoted(listAt(probe, 'exec', 'command').join(' '))}`;
  const times = ['initialDelaySeconds', 'periodSeconds', 'timeoutSeconds', 'failureThreshold'].flatMap((field) => {
    const value = numberAt(probe, field);
    return value === undefined ? [] : [`${field}=${value}`];
  });
  return [asks, ...times].join(' ');
}

/** `NAME=value`; of a value from elsewhere where it comes from; never the value of what is named like a secret. */
function variableText(variable: unknown): string {
  const name = textAt(variable, 'name') ?? '?';
  const source = at(variable, 'valueFrom');
  // No `=`: what comes after that is taken for a secret where the name is one's.
  if (source !== undefined) return `${name} (${sourceText(source)})`;
  const value = textAt(variable, 'value');
  if (value === undefined) return name;
  return judgeName(name) ? `${name}=<hidden>` : `${name}=${value}`;
}

/** Where a variable comes from, by name. */
function sourceText(source: unknown): string {
  for (const kind of ['secretKeyRef', 'configMapKeyRef', 'secretRef', 'configMapRef']) {
    const reference = at(source, kind);
    if (reference === undefined) continue;
    const key = textAt(reference, 'key');
    return `from ${kind.startsWith('secret') ? 'Secret' : 'ConfigMap'} ${textAt(reference, 'name') ?? '?'}${key ? ` key ${key}` : ''}`;
  }
  return `from ${textAt(source, 'fieldRef', 'fieldPath') ?? textAt(source, 'resourceFieldRef', 'resource') ?? 'elsewhere'}`;
}

function volumeText(volume: unknown): string {
  const name = textAt(volume, 'name') ?? '?';
  const claim = textAt(volume, 'persistentVolumeClaim', 'claimName');
  if (claim) return `${name} (claim ${claim})`;
  const configMap = textAt(volume, 'configMap', 'name');
  if (configMap) return `${name} (ConfigMap ${configMap})`;
  const secret = textAt(volume, 'secret', 'secretName');
  if (secret) return `${name} (Secret ${secret})`;
  return name;
}

/** Why an image cannot be pulled stands at the end of a long message. */
const REASON_CHARACTERS = 400;

/** How a container stands: ready, waiting, ended, how often restarted, and how it ended the last time. */
export function containerState(status: unknown, triggerMs: number): { readonly text: string; readonly isBad: boolean } {
  const waiting = at(status, 'state', 'waiting');
  const ended = at(status, 'state', 'terminated');
  const last = at(status, 'lastState', 'terminated');
  const restarts = numberAt(status, 'restartCount') ?? 0;
  const startedMs = timeAt(status, 'state', 'running', 'startedAt');
  const isReady = at(status, 'ready');
  const parts = [
    ...(isReady === undefined ? [] : [isReady === true ? 'ready' : 'not ready']),
    ...(waiting === undefined ? [] : [`waiting: ${quoted(reasonText(waiting), REASON_CHARACTERS)}`]),
    ...(ended === undefined ? [] : [endText('ended', ended, triggerMs)]),
    ...(startedMs === undefined ? [] : [`running since ${momentText(startedMs, triggerMs)}`]),
    ...(restarts > 0 ? [`${restarts} restarts`] : []),
    ...(last === undefined ? [] : [endText('last ended', last, triggerMs)]),
  ];
  const isBad =
    (waiting !== undefined && !/^(?:PodInitializing|ContainerCreating)$/.test(textAt(waiting, 'reason') ?? '')) ||
    (ended === undefined && isReady === false) ||
    (ended !== undefined && (numberAt(ended, 'exitCode') ?? 0) !== 0) ||
    endedLately(last, triggerMs);
  return { text: `${textAt(status, 'name') ?? 'container'} ${parts.join(', ')}`, isBad };
}

const LATELY_MS = 60 * 60_000;

/** A restart of last week is history. */
function endedLately(end: unknown, triggerMs: number): boolean {
  return (timeAt(end, 'finishedAt') ?? -Infinity) > triggerMs - LATELY_MS;
}

function reasonText(state: unknown): string {
  return [textAt(state, 'reason'), textAt(state, 'message')].filter((word) => word !== undefined).join(': ');
}

function endText(word: string, end: unknown, triggerMs: number): string {
  const code = numberAt(end, 'exitCode');
  const finishedMs = timeAt(end, 'finishedAt');
  const when = finishedMs === undefined ? '' : ` ${momentText(finishedMs, triggerMs)}`;
  return `${word} ${quoted(reasonText(end), REASON_CHARACTERS)}${code === undefined ? '' : ` (exit code ${code})`}${when}`;
}
