import { gatherGuidance } from '../agent/guidance.ts';
import type { Toolbox } from '../agent/toolbox.ts';
import type { Config } from '../config/schema.ts';
import type { Incident } from '../domain/incident.ts';
import type { Telemetry } from '../domain/telemetry.ts';
import { rejectAfter } from '../intake/deadline.ts';
import type { InvestigationParts } from '../investigate/run.ts';
import { readDependencies } from '../memory/dependencies.ts';
import { createMemory } from '../memory/memory.ts';
import type { MemoryStore } from '../memory/store.ts';
import type { IncidentMemory } from '../sessions/incident-memory.ts';
import { builtInSkills, userSkills } from '../skills/folders.ts';
import { createSkillShelf } from '../skills/skill-shelf.ts';
import { addRememberedCalls } from './remembered-calls.ts';

/** What is known beforehand is a help, and no reason to wait: a Redis that is away waits much longer. */
const SOURCE_TIMEOUT_MS = 3000;

/** Playbooks, memory and earlier reports, as investigations use them. */
export interface Knowledge {
  /** Parts of a toolbox. */
  readonly tools: Pick<Toolbox, 'skills' | 'memory'>;
  readonly guide: InvestigationParts['guide'];
  /** Adds the calls between services that are known from memory. Never rejects. */
  readonly complete: (telemetry: Telemetry, incident: Incident) => Promise<Telemetry>;
}

export interface KnowledgeParts {
  readonly redact: (text: string) => string;
  /** Absent: nothing is recalled. */
  readonly store?: MemoryStore | undefined;
  /** Whether agents of alerts may add facts: not by hand, not in replays. */
  readonly mayRemember: boolean;
  readonly earlier?: Pick<IncidentMemory, 'findEarlier'>;
  /** Told, in a clause, what cannot be read. */
  readonly onProblem: (line: string) => void;
}

export function openSkillShelf(config: Config) {
  return createSkillShelf([userSkills(config.SKILLS_DIR), builtInSkills()]);
}

export function openKnowledge(config: Config, parts: KnowledgeParts): Knowledge {
  const { redact, store, mayRemember, earlier, onProblem } = parts;
  const skills = openSkillShelf(config);
  const memory = store && createMemory(store, { redact, now: Date.now, writer: 'agent' });
  const read = <T>(work: Promise<T>) => rejectAfter(work, SOURCE_TIMEOUT_MS);
  return {
    tools: { skills, ...(memory && mayRemember ? { memory } : {}) },
    guide: (incident, brief) =>
      gatherGuidance(incident, brief, {
        skills: { catalogue: () => read(skills.catalogue()) },
        ...(memory ? { memory: { recall: () => read(memory.recall()) } } : {}),
        ...(earlier ? { earlier: (...of) => read(earlier.findEarlier(...of)) } : {}),
        onProblem,
      }),
    complete: async (telemetry, incident) => {
      if (!store) return telemetry;
      try {
        return addRememberedCalls(telemetry, readDependencies(await read(store.read())), incident);
      } catch (error) {
        onProblem(`remembered dependencies cannot be read: ${error instanceof Error ? error.message : String(error)}`);
        return telemetry;
      }
    },
  };
}
