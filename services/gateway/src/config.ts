import { planTerms } from '@almanac/contracts';
import { redisVariables } from '@almanac/redis';
import { processVariables, stalenessVariables, variable } from '@almanac/runtime';
import { z } from 'zod';

/** As browsers send it: without a path, without a default port, in lower case. */
const isOrigin = (text: string): boolean => text === '*' || (URL.canParse(text) && new URL(text).origin === text);

export const config = z.object({
  ...processVariables,
  ...redisVariables,
  NATS_USER: variable.text().default('gateway').describe('user at NATS'),
  HOST: variable.text().default('127.0.0.1').describe('address of the API; set 0.0.0.0 in a container'),
  PORT: variable.port(8080).describe('port of the API; 0 picks a free port and logs it'),
  STOP_DELAY_MS: variable
    .whole(0)
    .refine((delay) => delay <= 5_000, 'must be 5000 or less: the process ends within 10 s')
    .describe(
      'time between SIGTERM and the end of serving; `/readyz` fails meanwhile, so that load balancers stop sending requests',
    ),
  BODY_MAX_BYTES: variable
    .whole(262_144, 1)
    .describe(
      'largest request body of the API; a larger one is refused with 413. The largest useful body has about 15 KB, and longer ones get 422',
    ),
  BODIES_MB: variable
    .whole(16, 1)
    .describe(
      'memory for request bodies that arrive; each account may use a quarter of what the others leave. More are refused with 503',
    ),
  ANSWERS_MB: variable
    .whole(128, 1)
    .describe(
      'memory for answers that clients have not read yet; each account may use a quarter of what the others leave. More get 503',
    ),
  CLIENT_STALL_S: variable
    .timerSeconds(60)
    .describe('time in which a client must read something of its answer; then its connection is closed'),
  CONNECTIONS_MAX: variable
    .whole(5_000, 1)
    .describe('open connections of this process; more are closed at once. An idle one takes about 15 KB'),
  CACHE_MB: variable
    .whole(64)
    .describe('memory for cached answers of snapshots, previews and markets, overhead included; 0 caches nothing'),
  CACHE_FROM_REQUEST: variable
    .whole(2)
    .describe(
      'an answer is cached from this request for it on; 2 prevents a crawl of all markets from evicting popular answers',
    ),
  ACCOUNTS_MAX: variable.whole(20_000).describe('accounts whose keys and leases are cached; about 2 KB each'),
  REVOCATION_MS: variable
    .whole(2_000, 1_000, 60_000)
    .describe(
      'a revoked key is refused this long after its revocation was answered, at the latest; as long, known keys work while NATS is unavailable',
    ),
  ...stalenessVariables,
  PLAN_TERMS: planTerms,
  SESSION_SECRET: z
    .string()
    .min(32, 'must have at least 32 characters')
    .describe('signs browser sessions; must be equal on all gateways. A new secret ends all sessions'),
  SESSION_TTL_S: variable.whole(43_200, 1).describe('lifetime of a browser session in seconds'),
  SESSION_HOSTS: variable
    .text()
    .default('')
    .transform((text) =>
      text
        .toLowerCase()
        .split(/[\s,]+/)
        .filter((host) => host !== ''),
    )
    .describe(
      'host names without ports at which browsers may use sessions, such as `almanac.example.com`; at others they get 403. By default every name',
    ),
  FAILED_KEYS_PER_MINUTE: variable
    .whole(60)
    .describe(
      'rejected API keys of one client address in a minute, then 429; 0 sets no limit. Needs `TRUST_PROXY` behind a proxy',
    ),
  TRUST_PROXY: variable
    .text()
    .optional()
    .describe('proxies whose `X-Forwarded-` headers are trusted, such as `loopback, 10.0.0.0/8`'),
  CORS_ORIGINS: variable
    .text()
    .default('')
    .transform((text) => text.split(/[\s,]+/).filter((origin) => origin !== ''))
    .refine((origins) => origins.every(isOrigin), 'must be origins such as `https://lab.example.org`, or `*`')
    .describe(
      'origins whose web pages may call the API with an API key, such as `https://lab.example.org`; `*` allows all. Cookies never count',
    ),
  CONSOLE_FOLDER: variable
    .text()
    .optional()
    .describe('folder of the built web console; by default that of the installed package `@almanac/console`'),
  HISTORY_FOLDER: variable
    .text()
    .optional()
    .describe(
      "folder for the figures of the operator's page, two files of at most 1 MB; without it they are lost with the process",
    ),
  EXPORTS_MAX: variable.whole(20_000).describe('exports whose state is cached; about 1 KB each'),
});
export type GatewayConfig = z.output<typeof config>;
