import { z } from 'zod';
import type { TelemetryProvider } from '../../domain/provider.ts';
import { ToolFailure } from './tool.ts';

type QueryKind = Extract<keyof TelemetryProvider, `query${string}`>;
type Able<K extends QueryKind> = TelemetryProvider & Required<Pick<TelemetryProvider, K>>;

/** The providers that answer this kind of query, in their order. */
export function providersWith<K extends QueryKind>(
  providers: readonly TelemetryProvider[],
  kind: K,
): readonly Able<K>[] {
  return providers.filter((provider): provider is Able<K> => provider[kind] !== undefined);
}

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

/** Without the fields that the model left out, as queries want them. */
export function given<T extends Readonly<Record<string, unknown>>>(
  fields: T,
): { readonly [K in keyof T]?: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined)) as {
    readonly [K in keyof T]?: Exclude<T[K], undefined>;
  };
}

/** An optional name in a tool's input. */
export function nameInput(description: string) {
  return z.string().trim().min(1).max(253).optional().describe(description);
}
