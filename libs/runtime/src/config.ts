import { z } from 'zod';

/** An invalid configuration. The message lists every fault for a person. */
export class ConfigError extends Error {
  override readonly name = 'ConfigError';
}

/**
 * Parses the environment of a process once, at the start. An empty variable counts as absent. Throws ConfigError with
 * all faults, without values because some are secrets.
 */
export const parseConfig = <Schema extends z.ZodType>(
  schema: Schema,
  environment: NodeJS.ProcessEnv = process.env,
): z.output<Schema> => {
  const given = Object.fromEntries(Object.entries(environment).filter(([, value]) => value !== ''));
  const parsed = schema.safeParse(given);
  const renamed = renamedVariables(schema, given);
  if (parsed.success && renamed.length === 0) return parsed.data;
  const issues = parsed.error?.issues ?? [];
  const faults = [...issues.map((issue) => `  ${issue.path.join('.') || 'environment'}: ${issue.message}`), ...renamed];
  throw new ConfigError(`The configuration is not valid:\n${faults.join('\n')}`);
};

/** Variables of builds before release 0.1.0. Without a fault, a process would use the default in place of their value. */
const earlierVariables = {
  CACHE_FROM_ASK: 'CACHE_FROM_REQUEST',
  MARKETS_KEPT: 'MARKETS_CACHED',
  PREVIEWS_AHEAD: 'PREVIEWS_QUEUED',
  PREVIEW_BEHIND_S: 'PREVIEW_MAX_AGE_S',
  READS_AT_ONCE: 'READS_CONCURRENT',
  PREVIEWS_AT_ONCE: 'PREVIEWS_CONCURRENT',
  STREAMS_AT_ONCE: 'STREAMS_CONCURRENT',
  WEBHOOK_LOOPBACK: 'WEBHOOK_ALLOWED_NETWORKS',
};

/** Faults of variables that are set by their earlier name, if the process has the variable at all. */
const renamedVariables = (schema: z.ZodType, given: NodeJS.ProcessEnv): string[] =>
  Object.entries(earlierVariables).flatMap(([earlier, present]) =>
    given[earlier] !== undefined && schema instanceof z.ZodObject && present in schema.shape
      ? [`  ${earlier}: is ${present} now`]
      : [],
  );

/** Digits only: `z.coerce.number()` would convert an empty text to 0. */
const integer = z
  .string()
  .regex(/^\d+$/, 'must be a whole number')
  .transform(Number)
  .refine(Number.isSafeInteger, 'is too large');

const between = (least: number, most: number) =>
  integer.refine((value) => value >= least && value <= most, `must be ${least} to ${most}`);

/** Products with it stay exact: of bytes in a MiB, of microseconds in a second. */
const wholeMax = 2 ** 31 - 1;

export const variable = {
  whole: (fallback: number, least = 0, most = wholeMax) => between(least, most).default(fallback),
  /** Seconds of a timer. Node fires a timer of more than 2^31 ms at once, and some are lengthened at random. */
  timerSeconds: (fallback: number) => between(1, 1_000_000).default(fallback),
  /** A century at most: an age is subtracted from the present time. */
  days: (fallback: number) => between(0, 36_500).default(fallback),
  fraction: (fallback: number) =>
    z
      .string()
      .regex(/^(?:0(?:\.\d+)?|1(?:\.0+)?)$/, 'must be a number from 0 to 1')
      .transform(Number)
      .default(fallback),
  port: (fallback: number) => between(0, 65_535).default(fallback),
  url: () => z.url(),
  text: () => z.string().min(1),
};

/** Files, since they are replaced while the process runs. */
export const natsTlsVariables = {
  NATS_CA_FILE: variable
    .text()
    .optional()
    .describe(
      'file with the certificates of the authorities that sign those of NATS, in PEM form; demands TLS. See [TLS](#tls-to-nats)',
    ),
  NATS_CERT_FILE: variable
    .text()
    .optional()
    .describe('file with the certificate that this process shows to NATS, in PEM form; needs `NATS_KEY_FILE`'),
  NATS_KEY_FILE: variable.text().optional().describe('file with the key of that certificate, in PEM form'),
};

export const processVariables = {
  NATS_URL: variable
    .text()
    .default('nats://127.0.0.1:4222')
    .describe('addresses of the NATS servers, separated by commas; `tls` instead of `nats` demands TLS'),
  NATS_USER: variable.text().describe('user at NATS'),
  NATS_PASSWORD: variable.text().optional().describe('password at NATS'),
  ...natsTlsVariables,
  NATS_REPLICAS: variable.whole(1, 1, 5).describe('copies of each stream; set 3 in production'),
  NATS_STORE_FOLDER: variable
    .text()
    .optional()
    .describe('folder of JetStream if NATS runs on this machine: changes are refused while its disk is almost full'),
  NATS_PARTITIONS: variable
    .whole(1, 1, 32)
    .describe(
      'streams that each of EVT_CATALOG and EVT_ARCHIVE is divided into, the same for all processes; choose it at installation. See docs/scaling.md',
    ),
  NATS_STORAGE_GB: between(1, 1_000_000)
    .optional()
    .describe(
      'storage of JetStream in GB, at most its `max_file_store`; each stream gets a fixed share of it. Without it, one stream can fill the storage of all',
    ),
  HEALTH_HOST: variable
    .text()
    .default('127.0.0.1')
    .describe('address of /livez, /readyz and /metrics; set 0.0.0.0 in a container'),
  HEALTH_PORT: variable.port(0).describe('port of /livez, /readyz and /metrics; 0 picks a free port and logs it'),
  LOG_LEVEL: z
    .enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'])
    .default('info')
    .describe('lowest level that is logged; `debug` logs every request and every call between services'),
  OTEL_EXPORTER_OTLP_ENDPOINT: variable
    .url()
    .optional()
    .describe('address of an OTLP/HTTP trace collector, such as `http://collector:4318`; without it nothing is traced'),
  OTEL_EXPORTER_OTLP_HEADERS: variable
    .text()
    .optional()
    .describe('headers sent to the collector, such as an API key: `name=value,name=value`'),
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
    .describe('which requests are traced; with `parentbased_` the `traceparent` header of a client decides'),
  OTEL_TRACES_SAMPLER_ARG: variable.fraction(1).describe('fraction of requests that `traceidratio` traces, 0 to 1'),
};

/** Of processes that answer from memory while NATS does not. */
export const stalenessVariables = {
  STALE_ANSWERS_MS: variable
    .whole(15_000, 1_000)
    .describe(
      'cached answers, plans and the list of exports are used this long while nobody can tell whether they changed, as without the leader of a stream',
    ),
};

export const clickhouseVariables = {
  CLICKHOUSE_URL: variable.url().describe('address of the HTTP interface of ClickHouse'),
  CLICKHOUSE_USER: variable.text().describe('user at ClickHouse'),
  CLICKHOUSE_PASSWORD: z.string().default('').describe('password at ClickHouse'),
  CLICKHOUSE_DATABASE: variable.text().default('default').describe('database of the tables'),
  CLICKHOUSE_CLUSTER: z
    .string()
    .regex(/^[\w.-]+$/, 'must be a name of letters, digits, `_`, `.` and `-`')
    .optional()
    .describe(
      'cluster of the tables in the configuration of ClickHouse, or `cloud` for ClickHouse Cloud; without it one server',
    ),
};

export const readsWaiting = variable
  .whole(1_000)
  .describe(
    'reads that may wait for ClickHouse, a quarter of them for each account; more are refused with 503 at once',
  );

export const objectStoreVariables = {
  S3_ENDPOINT: variable.url().describe('address of the object store'),
  S3_PUBLIC_URL: variable
    .url()
    .optional()
    .describe('address at which clients reach the object store; `download_url` starts with it'),
  S3_REGION: variable.text().default('us-east-1').describe('region of the bucket'),
  S3_BUCKET: variable.text().describe('bucket of the exported files, and of slabs under `slabs/`'),
  S3_ACCESS_KEY_ID: variable.text().describe('access key of the object store'),
  S3_SECRET_ACCESS_KEY: variable.text().describe('secret key of the object store'),
};
