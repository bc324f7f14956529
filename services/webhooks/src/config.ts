import { processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';
import { networksOf } from './webhooks/addresses.js';

export const config = z.object({
  ...processVariables,
  WEBHOOK_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters')
    .describe(
      'from which the secret of each webhook is derived, at least 32 random characters, the same for all processes; another one changes every secret',
    ),
  WEBHOOK_ALLOWED_NETWORKS: z
    .string()
    .transform((text, context) => {
      try {
        return networksOf(text);
      } catch {
        context.addIssue({ code: 'custom', message: 'must be networks such as 192.168.0.0/16,127.0.0.1/32' });
        return z.NEVER;
      }
    })
    .default([])
    .describe(
      'networks that webhooks may call beside public addresses, with `http`, too, such as `192.168.0.0/16,127.0.0.1/32`. Every account can then send requests into them',
    ),
  WEBHOOK_TIMEOUT_S: variable
    .whole(15)
    .refine((seconds) => seconds > 0, 'must be at least 1')
    .describe('longest duration of one attempt to deliver, in seconds'),
});
export type WebhooksConfig = z.output<typeof config>;
