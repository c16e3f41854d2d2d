import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { homedir, tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe } from '@jest/globals';
import { parse, parseAllDocuments } from 'yaml';
import { skipSuite } from '../describe-if.ts';

export const CHART = 'helm';
const NAMESPACE = 'ops';
const DEADLINE_MS = 30_000;

/** An object of Kubernetes, as far as tests look into it. */
export interface KubeObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: {
    readonly name: string;
    readonly namespace?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly data?: Readonly<Record<string, string>>;
}

export type Values = Readonly<Record<string, unknown>>;

/** On PATH, else where `go install` puts it; undefined when it is nowhere. */
function findHelm(): string | undefined {
  const goFolders = [process.env['GOBIN'], join(process.env['GOPATH'] ?? join(homedir(), 'go'), 'bin')];
  const places = goFolders
    .flatMap((folder) => (folder ? [join(folder, 'helm')] : []))
    .filter((path) => existsSync(path));
  return ['helm', ...places].find((command) => spawnSync(command, ['version'], { timeout: DEADLINE_MS }).status === 0);
}

const helm = findHelm();
export const isHelmThere = helm !== undefined;

/** `describe` where helm is, else a skipped one that says how to get it. */
export const describeWithHelm =
  helm === undefined ? skipSuite('helm is not on PATH; go install helm.sh/helm/v3/cmd/helm@latest') : describe;

export interface HelmResult {
  readonly status: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** Runs helm with values on standard input. */
export function runHelm(args: readonly string[], values: Values = {}): HelmResult {
  if (helm === undefined) throw new Error('helm is not there');
  const all = [...args, '--namespace', NAMESPACE, '--values', '-'];
  return spawnSync(helm, all, { input: JSON.stringify(values), encoding: 'utf8', timeout: DEADLINE_MS });
}

/** The objects of the chart with these values. Throws what helm says when they are refused. */
export function render(values: Values = {}, release = 'rel'): readonly KubeObject[] {
  const { status, stdout, stderr } = runHelm(['template', release, CHART], values);
  if (status !== 0) throw new Error(stderr);
  return parseAllDocuments(stdout).flatMap((document) => {
    if (document.errors.length > 0) throw document.errors[0];
    const object = document.toJS() as KubeObject | null;
    return object === null ? [] : [object];
  });
}

/** What people read after an installation. Helm shows it only where there is a cluster, so a copy of the chart has it as an object. */
export function notesOf(values: Values): string {
  const copy = mkdtempSync(join(tmpdir(), 'rn-chart-'));
  try {
    cpSync(CHART, copy, { recursive: true });
    const notes = readFileSync(join(CHART, 'templates', 'NOTES.txt'), 'utf8');
    writeFileSync(join(copy, 'templates', '_notes.tpl'), `{{- define "notes" }}${notes}{{ end }}`);
    writeFileSync(join(copy, 'templates', 'notes.yaml'), 'kind: Notes\ntext: {{ include "notes" . | toJson }}\n');
    const { stdout, stderr } = runHelm(['template', 'rel', copy, '--show-only', 'templates/notes.yaml'], values);
    if (stdout === '') throw new Error(stderr);
    return (parse(stdout) as { readonly text: string }).text;
  } finally {
    rmSync(copy, { recursive: true, force: true });
  }
}

/** What helm says of values that it does not take; empty when it takes them. */
export function refusal(values: Values): string {
  const { status, stderr } = runHelm(['template', 'rel', CHART], values);
  return status === 0 ? '' : stderr;
}

export function ofKind(objects: readonly KubeObject[], kind: string): readonly KubeObject[] {
  return objects.filter((object) => object.kind === kind);
}

/** The one object of this kind and name. Throws when there is none. */
export function one(objects: readonly KubeObject[], kind: string, name: string): KubeObject {
  const found = ofKind(objects, kind).find(({ metadata }) => metadata.name === name);
  if (found === undefined) throw new Error(`there is no ${kind} ${name}`);
  return found;
}

export interface Container {
  readonly name: string;
  readonly image: string;
  readonly args?: readonly string[];
  readonly command?: readonly string[];
  readonly env?: readonly {
    readonly name: string;
    readonly value?: string;
    readonly valueFrom?: { readonly secretKeyRef?: { readonly name: string; readonly key: string } };
  }[];
  readonly envFrom?: readonly Readonly<Record<string, { readonly name: string }>>[];
  readonly ports?: readonly { readonly name: string; readonly containerPort: number }[];
  readonly resources?: Readonly<Record<'requests' | 'limits', Readonly<Record<string, string>>>>;
  readonly securityContext?: Readonly<Record<string, unknown>>;
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string }[];
  readonly [probe: `${string}Probe`]: Readonly<Record<string, unknown>> | undefined;
}

export interface PodSpec {
  readonly automountServiceAccountToken?: boolean;
  readonly enableServiceLinks?: boolean;
  readonly serviceAccountName?: string;
  readonly securityContext: Readonly<Record<string, unknown>>;
  readonly terminationGracePeriodSeconds?: number;
  readonly topologySpreadConstraints?: readonly Readonly<Record<string, unknown>>[];
  readonly containers: readonly Container[];
  readonly volumes?: readonly (Readonly<Record<string, unknown>> & {
    readonly name: string;
    readonly configMap?: { readonly name: string };
  })[];
}

export interface Pod {
  /** `Deployment rel-rootnote-all`. */
  readonly of: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly annotations: Readonly<Record<string, string>>;
  readonly spec: PodSpec;
  /** False for the pods of `helm test`, which end by themselves. */
  readonly stays: boolean;
}

/** Every pod that the objects bring about. */
export function podsOf(objects: readonly KubeObject[]): readonly Pod[] {
  return objects.flatMap((object) => {
    const of = `${object.kind} ${object.metadata.name}`;
    if (object.kind === 'Pod') return [podFrom(of, object, false)];
    if (object.kind !== 'Deployment' && object.kind !== 'StatefulSet') return [];
    return [podFrom(of, object.spec?.['template'] as Pick<KubeObject, 'metadata' | 'spec'>, true)];
  });
}

function podFrom(of: string, { metadata, spec }: Pick<KubeObject, 'metadata' | 'spec'>, stays: boolean): Pod {
  return {
    of,
    labels: metadata.labels ?? {},
    annotations: metadata.annotations ?? {},
    spec: spec as unknown as PodSpec,
    stays,
  };
}
