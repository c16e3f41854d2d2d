import { z } from 'zod';
import { ToolFailure } from './tool.ts';

interface Named {
  readonly name: string;
}

/** Asked for even when there is no choice, so that a second provider changes no tool's shape. */
export function providerInput(able: readonly Named[]) {
  const names = able.map((provider) => provider.name);
  return {
    provider: z
      .enum(names)
      .optional()
      .describe(`Whom to ask. Default: ${names[0] ?? 'none'}.`),
  };
}

export function chooseProvider<P extends Named>(able: readonly P[], name: string | undefined): P {
  const chosen = able.find((provider) => provider.name === name) ?? able[0];
  if (!chosen) throw new ToolFailure('No provider answers this.');
  return chosen;
}

/** A provider that fails is something the model can read and the report must state. */
export async function reading<T>(provider: string, searched: string, answer: Promise<T>): Promise<T> {
  try {
    return await answer;
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    throw new ToolFailure(
      `${provider} could not answer (${searched}): ${why}. Ask for less, ask differently, or go on without it.`,
      {
        cause,
        gap: { source: provider, message: `${searched}: ${why}` },
      },
    );
  }
}
