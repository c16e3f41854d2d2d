import { ROOT_CAUSE_TYPES, type RootCauseType } from '../src/domain/root-cause-type.ts';

/**
 * What the words that fault injectors and labelled data sets use for a fault mean in the report's own list. The first line that matches
 * holds; any of its types counts as right. A word that no line knows is not scored, and is named in the output.
 */
const MEANINGS: readonly (readonly [word: RegExp, types: readonly RootCauseType[]])[] = [
  [/image/, ['image_pull']],
  [/probe|liveness|readiness/, ['probe_failure']],
  [/quota|limit.?range/, ['quota']],
  [/schedul|taint|tolerat|affinity|unbound|pending/, ['scheduling']],
  [/dns/, ['dns']],
  [/certificate|tls|ssl/, ['certificate']],
  [/permission|rbac|forbidden|unauthori|auth(?!or)/, ['permission']],
  [/cpu/, ['cpu_saturation']],
  [/oom|mem/, ['memory_exhaustion']],
  [/disk.?(full|space|fill)|fill.?disk/, ['disk_full']],
  [/disk|(^|_)io(_|$)/, ['io_saturation']],
  [/loss|drop|corrupt|partition|duplicat|network.?polic/, ['network_loss']],
  [/net.*(delay|latency|slow)/, ['network_latency']],
  // The list has no word for a slow program: a delay is told as one of the network or as a fault of the code.
  [/delay|latency|slow/, ['network_latency', 'code_error']],
  [/connection|pool|socket|descriptor/, ['connection_exhaustion']],
  [/queue|backlog|consumer.?lag/, ['queue_backlog']],
  [/overload|surge|traffic|flood|burst/, ['traffic_surge']],
  [/node/, ['node_failure']],
  [/secret|config|env|selector|port|replica|endpoint|routing|scale/, ['config_change']],
  [/deploy|rollout|release/, ['deployment_change']],
  [/exception|return|code|bug/, ['code_error']],
];

/** The types that are right for a truth's word; undefined when it says nothing that the list can say. */
export function typesMeant(word: string): readonly RootCauseType[] | undefined {
  const plain = word.toLowerCase().replace(/[\s-]+/g, '_');
  const own = ROOT_CAUSE_TYPES.find((type) => type === plain);
  if (own !== undefined) return own === 'unknown' ? undefined : [own];
  return MEANINGS.find(([pattern]) => pattern.test(plain))?.[1];
}

export interface TypedCase {
  readonly type: string;
  /** The truth's own word for the fault. */
  readonly trueType?: string;
}

export interface TypeScore {
  /** Cases whose truth names a type that the list can say. */
  readonly cases: number;
  /** Share of them with a right type; undefined when there are none. */
  readonly accuracy?: number;
  /** Every word of the truth, what counts as right for it (nothing: not scored), and how often which type was stated. */
  readonly words: readonly {
    readonly word: string;
    readonly means: readonly string[];
    readonly cases: number;
    readonly stated: Readonly<Record<string, number>>;
  }[];
}

/** How often the first suspect's type is the truth's, word by word. A case without a ranking states `unknown`, which is never right. */
export function scoreTypes(cases: readonly TypedCase[]): TypeScore {
  const words = [...new Set(cases.flatMap(({ trueType }) => trueType ?? []))].toSorted();
  const table = words.map((word) => {
    const types = cases.filter(({ trueType }) => trueType === word).map(({ type }) => type);
    const stated: Record<string, number> = {};
    for (const type of types.toSorted()) stated[type] = (stated[type] ?? 0) + 1;
    return { word, means: typesMeant(word) ?? [], cases: types.length, stated };
  });
  const scored = table.filter(({ means }) => means.length > 0);
  const total = scored.reduce((sum, row) => sum + row.cases, 0);
  const right = scored.reduce(
    (sum, { means, stated }) => sum + means.reduce((count, type) => count + (stated[type] ?? 0), 0),
    0,
  );
  return { cases: total, ...(total > 0 ? { accuracy: right / total } : {}), words: table };
}
