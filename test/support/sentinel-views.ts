import { eventually } from './eventually.ts';
import type { RedisNode } from './redis-node.ts';

const LOG_LINES_SHOWN = 8;

/** What a Sentinel says about the servers; shown as it is when a test waits in vain. */
interface SentinelView {
  readonly sentinel: number;
  /** Port of the server that it takes for the master. */
  readonly master: number;
  /** `master` alone: it is up, and no failover is under way that this Sentinel leads. */
  readonly flags: string;
  readonly peers: number;
  readonly replicas: readonly ReplicaView[];
  readonly log: string;
}

interface ReplicaView {
  readonly port: number;
  /** `slave` alone: it answers, and may be chosen. */
  readonly flags: string;
  /** As it told when it was asked last, which may be ten seconds ago: the servers know better. */
  readonly link: string;
}

/**
 * The master that all Sentinels name, and that it is: nobody is in the midst of a failover, and everyone has `replicas` to choose from. Only then can Sentinels do
 * without it. One that still leads the last failover waits for the server it promoted, for ever when that one dies, and names it to whoever asks.
 */
export async function untilSettled(
  name: string,
  sentinels: readonly RedisNode[],
  servers: readonly RedisNode[],
  replicas: number,
): Promise<RedisNode> {
  const isSettled = ({ master, flags, peers, replicas: seen }: SentinelView, agreed: number) =>
    master === agreed &&
    flags === 'master' &&
    peers === sentinels.length - 1 &&
    seen.filter(({ flags: ofReplica }) => ofReplica === 'slave').length === replicas;
  const views = await eventually(
    `all Sentinels agree on a master with ${replicas} replicas`,
    () => askAll(name, sentinels),
    (all) => all.every((view) => isSettled(view, all[0]?.master ?? 0)),
  );
  return untilMaster(views[0]?.master, servers);
}

/** The server in the place of `gone`: most Sentinels name it, since one may lag behind the others. */
export async function findSuccessor(
  name: string,
  sentinels: readonly RedisNode[],
  servers: readonly RedisNode[],
  gone: RedisNode,
): Promise<RedisNode> {
  const views = await eventually(
    `a replica takes the place of ${gone.port}`,
    () => askAll(name, sentinels),
    (all) => mostNamed(all) !== undefined && mostNamed(all) !== gone.port,
  );
  return untilMaster(mostNamed(views), servers);
}

/** Undefined when no port has the majority. */
function mostNamed(views: readonly SentinelView[]): number | undefined {
  const isMost = (port: number) => views.filter(({ master }) => master === port).length > views.length / 2;
  return views.find(({ master }) => isMost(master))?.master;
}

async function untilMaster(port: number | undefined, servers: readonly RedisNode[]): Promise<RedisNode> {
  const named = servers.find((server) => server.port === port);
  if (!named) throw new Error(`the Sentinels name ${port}`);
  await eventually(
    `${port} is the master that the Sentinels take it for`,
    async () => String(await named.ask('INFO', 'replication')),
    (info) => info.includes('role:master'),
  );
  return named;
}

const askAll = (name: string, sentinels: readonly RedisNode[]): Promise<readonly SentinelView[]> =>
  Promise.all(sentinels.map((sentinel) => askOne(name, sentinel)));

async function askOne(name: string, sentinel: RedisNode): Promise<SentinelView> {
  const [master, replicas] = await Promise.all([
    sentinel.ask('SENTINEL', 'MASTER', name),
    sentinel.ask('SENTINEL', 'REPLICAS', name),
  ]);
  const { port, flags = '', 'num-other-sentinels': peers } = fieldsOf(master);
  return {
    sentinel: sentinel.port,
    master: Number(port),
    flags,
    peers: Number(peers),
    replicas: (replicas as readonly unknown[]).map(readReplica),
    log: sentinel.log().trimEnd().split('\n').slice(-LOG_LINES_SHOWN).join('\n'),
  };
}

const readReplica = (reply: unknown): ReplicaView => {
  const { port, flags = '', 'master-link-status': status, 'master-port': master } = fieldsOf(reply);
  return { port: Number(port), flags, link: `${status} to ${master}` };
};

/** A reply of names and values in turn. */
function fieldsOf(reply: unknown): Readonly<Record<string, string>> {
  const flat = reply as readonly string[];
  return Object.fromEntries(flat.flatMap((field, index) => (index % 2 === 0 ? [[field, flat[index + 1] ?? '']] : [])));
}
