import { ModelError, type Model } from '../agent/model.ts';
import type { Metrics } from '../platform/metrics.ts';

/** The model with every request counted by outcome. */
export function measuredModel(model: Model, metrics: Metrics): Model {
  return {
    ...model,
    complete: async (request) => {
      try {
        const response = await model.complete(request);
        metrics.llmRequest(model.id, 'ok');
        return response;
      } catch (error) {
        metrics.llmRequest(model.id, 'error', error instanceof ModelError ? error.kind : 'other');
        throw error;
      }
    },
  };
}
