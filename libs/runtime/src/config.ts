import { z } from 'zod';

/** A configuration that cannot be used, with every fault at once, for a person to read. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Parses a process' environment once, at its start. An empty variable counts as absent. Throws ConfigError with all
 * faults; the values are not shown, since some are secrets.
 */
export const parseConfig = <Schema extends z.ZodType>(
  schema: Schema,
  environment: NodeJS.ProcessEnv = process.env,
): z.output<Schema> => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  const faults = parsed.error.issues.map((issue) => `  ${issue.path.join('.') || 'environment'}: ${issue.message}`);
  throw new ConfigError(`The configuration is not valid:\n${faults.join('\n')}`);
};

/** Digits only: `z.coerce.number()` would make 0 of an empty text. */
const whole = z
  .string()
  .regex(/^\d+$/, 'must be a whole number')
  .transform(Number)
  .refine(Number.isSafeInteger, 'is too large');

export const variable = {
  whole: (fallback: number) => whole.default(fallback),
  share: (fallback: number) =>
    z
      .string()
      .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, 'must be a number from 0 to 1')
      .transform(Number)
      .default(fallback),
  port: (fallback: number) => whole.refine((port) => port <= 65_535, 'must be a port').default(fallback),
  url: () => z.url(),
  text: () => z.string().min(1),
};

/** What every process of the system is told. */
export const processVariables = {
  NATS_URL: variable.text().default('nats://127.0.0.1:4222').describe('comma-separated servers'),
  NATS_USER: variable.text(),
  NATS_PASSWORD: variable.text().optional(),
  NATS_REPLICAS: variable.whole(1).describe('copies of each stream; 3 in production'),
  HEALTH_HOST: variable
    .text()
    .default('127.0.0.1')
    .describe('where /livez, /readyz and /metrics listen; 0.0.0.0 in a container'),
  HEALTH_PORT: variable.port(0).describe('0 takes a free one, which the log tells'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('`debug` has a line for each request and each call between services'),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable
    .url()
    .optional()
    .describe(
      'where traces go: a collector that takes OTLP over HTTP, `http://collector:4318`; without it none are made',
    ),
  OTEL_EXPORTER_OTLP_HEADERS: variable
    .text()
    .optional()
    .describe('what the collector wants to be told with each batch, a key perhaps: `name=value,name=value`'),
  OTEL_TRACES_SAMPLER: z
    .enum([
      'always_on',
      'always_off',
      'traceidratio',
      'parentbased_always_on',
      'parentbased_always_off',
      'parentbased_traceidratio',
    ])
    .default('parentbased_always_on')
    .describe('which requests are traced; `parentbased_` lets a client decide by its `traceparent`'),
  OTEL_TRACES_SAMPLER_ARG: variable.share(1).describe('the share of requests that a `traceidratio` traces, 0 to 1'),
};

export const clickhouseVariables = {
  CLICKHOUSE_URL: variable.url(),
  CLICKHOUSE_USER: variable.text(),
  CLICKHOUSE_PASSWORD: z.string().default(''),
  CLICKHOUSE_DATABASE: variable.text().default('default'),
};

export const redisVariables = {
  REDIS_URL: variable.url(),
  REDIS_USER: variable.text().optional(),
  REDIS_PASSWORD: variable.text().optional(),
};

export const objectStoreVariables = {
  S3_ENDPOINT: variable.url(),
  S3_PUBLIC_URL: variable.url().optional().describe('where clients reach the bucket; signs download_url'),
  S3_REGION: variable.text().default('us-east-1'),
  S3_BUCKET: variable.text(),
  S3_ACCESS_KEY_ID: variable.text(),
  S3_SECRET_ACCESS_KEY: variable.text(),
};
