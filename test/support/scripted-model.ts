import {
  ModelError,
  NO_TOKENS,
  type Model,
  type ModelBlock,
  type ModelRequest,
  type ModelResponse,
} from '../../src/agent/model.ts';

/** One expected call: what the model answers, or throws. A function may look at the request, and assert on it. */
export type ScriptedStep =
  | Partial<ModelResponse>
  | ModelError
  | ((request: ModelRequest) => Partial<ModelResponse> | ModelError | Promise<Partial<ModelResponse> | ModelError>);

export interface ScriptedModel extends Model {
  readonly requests: readonly ModelRequest[];
  /** Throws when a step of the script was not used. Call it at the end of the test. */
  assertDone(): void;
}

/** A strict model: an unexpected call throws, and `assertDone` finds the steps that nobody asked for. */
export function scriptedModel(steps: readonly ScriptedStep[]): ScriptedModel {
  const requests: ModelRequest[] = [];
  return {
    id: 'scripted',
    requests,
    async complete(request) {
      const step = steps[requests.length];
      requests.push(request);
      if (!step) throw new Error(`unexpected call ${requests.length} of the scripted model`);
      const answer = typeof step === 'function' ? await step(request) : step;
      if (answer instanceof ModelError) throw answer;
      const blocks = answer.blocks ?? [];
      const stopReason = blocks.some((block) => block.kind === 'tool_use') ? 'tool_use' : 'end';
      return {
        blocks,
        stopReason,
        usage: { ...NO_TOKENS, inputTokens: 1000, outputTokens: 100 },
        model: 'scripted-1',
        ...answer,
      };
    },
    assertDone() {
      if (requests.length < steps.length)
        throw new Error(`${steps.length - requests.length} steps of the script were not used`);
    },
  };
}

export function text(value: string): ModelBlock {
  return { kind: 'text', text: value };
}

let counter = 0;

export function toolUse(name: string, input: unknown, id = `call_${++counter}`): ModelBlock {
  return { kind: 'tool_use', id, name, input };
}
