import { planTerms } from '@almanac/contracts';
import { processVariables, redisVariables, variable } from '@almanac/runtime';
import { z } from 'zod';

export const gatewayConfig = z.object({
  ...processVariables,
  ...redisVariables,
  NATS_USER: variable.text().default('gateway'),
  HOST: variable.text().default('127.0.0.1').describe('where the API listens; 0.0.0.0 in a container'),
  PORT: variable.port(8080).describe('0 takes a free one, which the log tells'),
  STOP_DELAY_MS: variable
    .whole(0)
    .refine((delay) => delay <= 5_000, 'must be 5000 or less: the process ends within 10 s')
    .describe(
      'how long it goes on serving when it is told to end, unready, so that load balancers look elsewhere first',
    ),
  BODY_MAX_BYTES: variable.whole(1_048_576).describe('a longer request body is 413; the longest sensible one is 1 KB'),
  CACHE_MB: variable
    .whole(64)
    .describe(
      'memory for ready answers of snapshots, previews and markets, with all that is around them; 0 keeps none',
    ),
  CACHE_FROM_ASK: variable
    .whole(2)
    .describe(
      'an answer is kept from this ask on; 2 keeps a walk through all markets from pushing out what is asked often',
    ),
  ACCOUNTS_MAX: variable.whole(20_000).describe('accounts whose keys and leases are kept in memory, some 2 KB each'),
  PLAN_TERMS: planTerms.describe('JSON laid over the default plans; says how many requests a minute an account has'),
  SESSION_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters')
    .describe('signs sessions; the same on every gateway; a new one ends all sessions'),
  SESSION_TTL_S: variable.whole(43_200).describe('how long a session lasts'),
  TRUST_PROXY: variable
    .text()
    .optional()
    .describe('addresses of proxies in front, whose X-Forwarded- headers are believed: `loopback, 10.0.0.0/8`'),
  EXPORTS_MAX: variable.whole(20_000).describe('exports whose state is kept in memory, some 1 KB each'),
});
export type GatewayConfig = z.output<typeof gatewayConfig>;
