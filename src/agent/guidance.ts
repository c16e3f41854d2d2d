import type { Brief } from '../domain/brief.ts';
import type { Incident } from '../domain/incident.ts';
import { matchPlaybooks } from './match-playbooks.ts';
import type { Memory, SkillEntry, SkillShelf } from './toolbox.ts';

/** What steers where an agent looks. Nothing of it has an evidence id, and nothing of it can be cited. */
export interface Guidance {
  /** Remembered facts for the system prompt, redacted; empty when there are none. Sub-agents get none. */
  readonly memory: string;
  /** Playbooks that fit the alert, best first: offered by name, read with the `skill` tool. */
  readonly playbooks: readonly SkillEntry[];
  /** Earlier reports on the same alert, service or error, most alike first. Unverified. */
  readonly earlier: readonly EarlierIncident[];
}

export interface EarlierIncident {
  readonly reportId: string;
  readonly startsAtMs: number;
  readonly title: string;
  readonly service: string | null;
  /** What it has in common with this incident. */
  readonly alike: readonly ('alert' | 'service' | 'error')[];
  readonly status: 'determined' | 'inconclusive' | 'healthy';
  readonly rootCauseService: string | null;
  readonly rootCauseType: string;
  readonly confidence: number;
  readonly summary: string;
  /** How it ended, when known: resolved after how long. */
  readonly resolvedAfterMs: number | null;
}

export const NO_GUIDANCE: Guidance = { memory: '', playbooks: [], earlier: [] };

/** Where guidance comes from; what is not there gives none. */
export interface GuidanceSources {
  readonly skills?: Pick<SkillShelf, 'catalogue'> | undefined;
  readonly memory?: Pick<Memory, 'recall'> | undefined;
  /** Finds earlier reports. */
  readonly earlier?: ((incident: Incident, brief: Brief) => Promise<readonly EarlierIncident[]>) | undefined;
  /** Told, in a clause, which source failed. */
  readonly onProblem?: (line: string) => void;
}

/** The guidance for the main agent of an incident or check. Never rejects: a source that fails gives nothing, for nothing here is needed. */
export async function gatherGuidance(incident: Incident, brief: Brief, sources: GuidanceSources): Promise<Guidance> {
  const { skills, memory, earlier } = sources;
  const orElse = async <T>(what: string, none: T, read: (() => Promise<T>) | undefined): Promise<T> => {
    try {
      return read ? await read() : none;
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      sources.onProblem?.(`${what} cannot be read: ${reason}`);
      return none;
    }
  };
  const [remembered, catalogue, alike] = await Promise.all([
    orElse('memory', '', memory && (() => memory.recall())),
    orElse<readonly SkillEntry[]>('the shelf of playbooks', [], skills && (() => skills.catalogue())),
    orElse<readonly EarlierIncident[]>('earlier reports', [], earlier && (() => earlier(incident, brief))),
  ]);
  return { memory: remembered, playbooks: matchPlaybooks(incident, brief, catalogue), earlier: alike };
}
