import { z } from 'zod';

export const redaction = {
  REDACT_PATTERNS_FILE: z
    .string()
    .optional()
    .describe('YAML list of `{type, pattern, flags}`: what is masked beside the built-in rules (docs/security.md).'),
} as const;
