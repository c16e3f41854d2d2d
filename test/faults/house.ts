import { rm } from 'node:fs/promises';
import type { TestRedisOptions } from '../support/redis.ts';
import { startBoard, type Board, type DestinationName } from './board.ts';
import { PLANTED } from './alerts.ts';
import { startMember, type Member, type MemberOptions, type Role } from './process.ts';
import { createSender, type Sender } from './sender.ts';
import { startStore, type Store, type Topology } from './topology.ts';
import { vitalSigns } from './vital-signs.ts';

/** A Redis, destinations and a sender, and the processes that a scenario starts between them. */
export interface House {
  readonly redis: Store;
  readonly board: Board;
  readonly sender: Sender;
  readonly destinations: readonly DestinationName[];
  /** Every process so far, the dead ones included. */
  readonly members: readonly Member[];
  /** Where the sender sends: the first receiver, until another one takes its place. */
  door: Member | undefined;
  start(role: Role, env?: Environment, options?: MemberOptions): Promise<Member>;
  /** What every scenario must show, beside its own: see vital-signs.ts. */
  vitalSigns(): Promise<readonly string[]>;
  close(): Promise<void>;
}

type Environment = Readonly<Record<string, string>>;

export interface HouseOptions {
  readonly random: () => number;
  readonly topology: Topology;
  readonly destinations?: readonly DestinationName[];
  /** Of a single server. */
  readonly redis?: TestRedisOptions;
  readonly env?: Environment;
}

/**
 * Locks are short, so that the dead are missed soon. Secrets stand in the environment, for the logs to keep quiet about. No telemetry: what is tested is
 * the queue and the deliveries; an investigation by the offline analyst without evidence is the lightest real one there is.
 */
const COMMON_ENV: Environment = {
  JOB_LOCK_MS: '2000',
  SHUTDOWN_GRACE_MS: '10000',
  PROMETHEUS_BEARER_TOKEN: PLANTED,
  JOBS_DIR: 'none',
  // Each alert has to show in a report of its own.
  STORM_THRESHOLD: '10000',
};

export async function openHouse(options: HouseOptions): Promise<House> {
  const { random, topology, destinations = ['webhook'], redis, env = {} } = options;
  const [server, board] = await Promise.all([startStore(topology, redis), startBoard()]);
  const members: Member[] = [];
  const folders: string[] = [];
  const common = { ...server.env, ...COMMON_ENV, ...board.envFor(...destinations), ...env };
  const house: House = {
    redis: server,
    board,
    destinations,
    members,
    door: undefined,
    sender: createSender(() => house.door?.url ?? 'http://127.0.0.1:9', random),
    start: async (role, own = {}, options) => {
      const member = await startMember(role, { ...common, ...own }, options, (started, folder) => {
        members.push(started);
        folders.push(folder);
      });
      if (role === 'serve') house.door ??= member;
      return member;
    },
    vitalSigns: () => vitalSigns(house),
    close: async () => {
      await Promise.all(members.map((member) => member.kill()));
      await board.close();
      await server.stop();
      await Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true, maxRetries: 5 })));
    },
  };
  return house;
}

/** Runs `use` in a house and closes it, whatever happens. */
export async function inHouse<T>(options: HouseOptions, use: (house: House) => Promise<T>): Promise<T> {
  const house = await openHouse(options);
  try {
    return await use(house);
  } catch (error) {
    const last = house.members.slice(-3).map(({ role, child }) => `--- ${role}\n${child.output().slice(-3000)}`);
    throw new Error(`${error instanceof Error ? error.message : String(error)}\n${last.join('\n')}`, { cause: error });
  } finally {
    await house.close();
  }
}
