import { processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';

export const config = z.object({
  ...processVariables,
  WEBHOOK_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters')
    .describe(
      'from which the secret of each webhook is derived, at least 32 random characters, the same for all processes; another one changes every secret',
    ),
  WEBHOOK_LOOPBACK: z
    .enum(['refused', 'allowed'])
    .default('refused')
    .describe('whether webhooks may have an address on this machine, with `http`; for development only'),
  WEBHOOK_TIMEOUT_S: variable
    .whole(15)
    .refine((seconds) => seconds > 0, 'must be at least 1')
    .describe('longest duration of one attempt to deliver, in seconds'),
});
export type WebhooksConfig = z.output<typeof config>;
