/** A part that has to work for the role to be of use. `check` rejects with the reason when it does not. */
export interface ReadinessPart {
  readonly name: string;
  check(): Promise<void>;
}

export interface Readiness {
  readonly ready: boolean;
  /** `ok`, or what is wrong. */
  readonly parts: Readonly<Record<string, string>>;
}

const DEADLINE_MS = 1000;

/** Asks all parts at once; one that does not answer within a second is not ready. Never rejects. */
export async function checkReadiness(parts: readonly ReadinessPart[]): Promise<Readiness> {
  const states = await Promise.all(parts.map(async (part) => [part.name, await stateOf(part)] as const));
  return { ready: states.every(([, state]) => state === 'ok'), parts: Object.fromEntries(states) };
}

async function stateOf(part: ReadinessPart): Promise<string> {
  let timer: NodeJS.Timeout | undefined;
  const deadline = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve(`no answer within ${DEADLINE_MS} ms`), DEADLINE_MS);
  });
  try {
    return await Promise.race([part.check().then(() => 'ok'), deadline]);
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  } finally {
    clearTimeout(timer);
  }
}
