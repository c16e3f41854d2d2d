import type { Config } from '../config/schema.ts';
import { stormJson } from '../destinations/storm-json.ts';
import type { IncidentLife } from '../sessions/incident-store.ts';
import { explainArrival, isArrivalId } from './explain-arrival.ts';
import { findId } from './find-id.ts';
import { isStormId, openReading, readIncident, readStorm, viewOf, type Reading } from './incident-view.ts';
import { InputError } from './input-error.ts';
import { withRedis } from './open-redis.ts';
import { printIncident, printList, printRuns, printStorm } from './print-incident.ts';
import { readUndecided, sayWaiting } from './watch-inbox.ts';
import { toJson } from './to-json.ts';

/** Looked through for open ones; of those that are over, the latest are listed. */
const MOST_LOOKED_THROUGH = 1000;
const MOST_OVER = 30;
const MOST_RUNS = 30;

export interface IncidentsRequest {
  /** Of an incident, a check or a storm; its beginning is enough when no other begins so. */
  readonly id?: string;
  /** The latest runs of scheduled checks, instead of incidents. */
  readonly checks?: boolean;
  readonly json: boolean;
}

/** What `rootnote incidents` prints; undefined when there is nothing of that id. Throws RedisUnreachable, AmbiguousId, and InputError for the id of a webhook. */
export function showIncidents(
  config: Config,
  { id, checks = false, json }: IncidentsRequest,
  say: (line: string) => void,
): Promise<string | undefined> {
  return withRedis(config, say, async (redis) => {
    const reading = openReading(redis, config.REDIS_PREFIX);
    if (id === undefined) {
      const undecided = await readUndecided(redis, config.REDIS_PREFIX);
      const warning = undecided ? `${sayWaiting(undecided)}; start rootnote work` : '';
      if (json && warning) say(`rootnote: ${warning}`);
      return `${json || !warning ? '' : `! ${warning}\n`}${await (checks ? listRuns(reading, json) : list(reading, json))}`;
    }
    if (isArrivalId(id)) throw new InputError(await explainArrival(redis, config.REDIS_PREFIX, id));
    const found = await findId(reading, id);
    if (!isStormId(found)) return showIncident(reading, found, json);
    const storm = await readStorm(reading, found);
    if (!storm) return undefined;
    const deliveries = (await reading.recordsOf(found)) ?? [];
    return json ? toJson({ ...storm, deliveries }) : printStorm(storm, deliveries);
  });
}

async function list(reading: Reading, json: boolean): Promise<string> {
  const { incidents } = reading;
  const lives = await livesOf(reading, await incidents.listIds(MOST_LOOKED_THROUGH));
  const views = await Promise.all(listed(lives).map((life) => viewOf(reading, life)));
  if (json) return toJson(views);
  const ofStorms = new Set(views.flatMap(({ storm }) => storm ?? []));
  const storms = await Promise.all([...ofStorms].map((one) => reading.storms.getSummary(one)));
  const known = storms.filter((storm) => storm !== undefined);
  return printList(known.map(stormJson), views, Date.now());
}

async function listRuns(reading: Reading, json: boolean): Promise<string> {
  const lives = await livesOf(reading, await reading.incidents.listRunIds(MOST_RUNS));
  const views = await Promise.all(lives.map((life) => viewOf(reading, life)));
  return json ? toJson(views) : printRuns(views, Date.now());
}

async function livesOf({ incidents }: Reading, ids: readonly string[]): Promise<readonly IncidentLife[]> {
  return (await Promise.all(ids.map((one) => incidents.getLife(one)))).filter((life) => life !== undefined);
}

/** Open ones first, each kind newest first. */
function listed(lives: readonly IncidentLife[]): readonly IncidentLife[] {
  const isOpen = ({ incident }: IncidentLife) => incident.state === 'firing';
  return [...lives.filter(isOpen), ...lives.filter((life) => !isOpen(life)).slice(0, MOST_OVER)];
}

async function showIncident(reading: Reading, id: string, json: boolean): Promise<string | undefined> {
  const view = await readIncident(reading, id);
  if (!view || json) return view && toJson(view);
  const lead = view.coveredBy === null ? undefined : await reading.incidents.getIncident(view.coveredBy);
  return printIncident(view, { lead: lead?.title, deliveries: (await reading.recordsOf(id)) ?? [] });
}
