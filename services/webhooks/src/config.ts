import { processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';
import { networksOf } from './webhooks/addresses.js';

const secret = z.string().min(32, 'must have at least 32 characters');
const listed = <Item extends z.ZodType<unknown, string>>(item: Item) =>
  z
    .string()
    .transform((text) => text.split(',').map((one) => one.trim()))
    .pipe(z.array(item))
    .default([]);

export const config = z.object({
  ...processVariables,
  WEBHOOK_SECRET: secret.describe(
    'from which the secrets of new webhooks are derived, at least 32 random characters, the same for all processes',
  ),
  WEBHOOK_EARLIER_SECRETS: listed(secret).describe(
    'earlier values of `WEBHOOK_SECRET`, separated by commas. Webhooks keep the secrets that were derived from them until their owners rotate them',
  ),
  WEBHOOK_LOST_SECRETS: listed(z.string().regex(/^[0-9a-f]{16}$/, 'must be fingerprints of 16 hex digits')).describe(
    'fingerprints of values of `WEBHOOK_SECRET` that are lost. Their webhooks are disabled until their owners rotate the secrets. Without it, the service does not start',
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
  WEBHOOK_TIMEOUT_S: variable.timerSeconds(15).describe('longest duration of one attempt to deliver, in seconds'),
});
export type WebhooksConfig = z.output<typeof config>;
