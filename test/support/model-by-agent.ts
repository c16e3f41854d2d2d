import type { Model, ModelRequest } from '../../src/agent/model.ts';
import { scriptedModel, type ScriptedStep } from './scripted-model.ts';

export interface ModelByAgent extends Model {
  /** Who asked and after how many answers, in order: `main 0`, `part 1 2`. */
  readonly asked: readonly string[];
}

/**
 * A scripted model for agents that work side by side. `main` answers the agent that may delegate; any other script answers the sub-agent whose task holds its
 * name. Which step it is follows from the request alone, so that a repeated request gets the same answer.
 */
export function modelByAgent(scripts: Readonly<Record<string, readonly ScriptedStep[]>>): ModelByAgent {
  const asked: string[] = [];
  return {
    id: 'scripted',
    asked,
    complete: async (request) => {
      const name = agentOf(request, Object.keys(scripts));
      const turn = request.messages.filter(({ role }) => role === 'assistant').length;
      asked.push(`${name} ${turn}`);
      const step = scripts[name]?.[turn];
      if (!step) throw new Error(`no step ${turn} of ${name}, who was told ${JSON.stringify(request.messages.at(-1))}`);
      return scriptedModel([step]).complete(request);
    },
  };
}

function agentOf({ tools, messages }: ModelRequest, names: readonly string[]): string {
  if (tools.some(({ name }) => name === 'delegate')) return 'main';
  const [first] = messages;
  const told = first?.role === 'user' ? first.text : '';
  return names.find((name) => name !== 'main' && told.includes(name)) ?? 'nobody';
}
