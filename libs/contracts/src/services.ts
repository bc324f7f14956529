/** A server that a service uses with a login or a key of its own. `s3-slabs` is the bucket with the key for slabs. */
type UsedServer = 'clickhouse' | 'redis' | 's3' | 's3-slabs';

/** A variable from a Secret of Kubernetes. Compose gets it from `.env`, by its own name. */
interface SecretVariable {
  readonly from: `almanac-${string}/${string}`;
  /** It may be empty. */
  readonly isOptional?: boolean;
  /** The Secret may lack the key. Others must have it, also if it is empty, so that a misspelled name is found. */
  readonly mayBeMissing?: boolean;
}

export interface ServiceRow {
  /** What it holds and answers, for ARCHITECTURE.md. */
  readonly holds: string;
  readonly uses: readonly UsedServer[];
  /** Its answers depend on the terms of plans. */
  readonly readsPlans: boolean;
  /** It serves HTTP at this port. Every service has its health at 9090. */
  readonly port?: number;
  /** Its variable `<NAME>_FOLDER` names a folder with data that can be lost. */
  readonly folder?: { readonly volume: string; readonly contents: string; readonly sizeLimit?: `${number}Gi` };
  readonly secrets?: Readonly<Record<string, SecretVariable>>;
  /** Variables that compose passes on from `.env`, with their defaults. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Millicores that Kubernetes reserves, and MB of memory that it reserves and permits. Compose permits the same memory. */
  readonly cpu: number;
  readonly memory: readonly [reserved: number, most: number];
}

const stripe = (key: string): SecretVariable => ({ from: `almanac-stripe/${key}`, isOptional: true });

/**
 * The services, a row for each: the deployment in docker-compose.yml, k8s/chart and deploy/ is made from it. Its contracts are in
 * `serviceContracts`, and its rights, streams and consumers in `rights` of libs/bus.
 */
const rows = {
  gateway: {
    holds: 'HTTP: keys, limits, validation, cached answers, the console',
    uses: ['redis'],
    readsPlans: true,
    port: 8080,
    secrets: { SESSION_SECRET: { from: 'almanac-session/secret' } },
    settings: { SESSION_HOSTS: '' },
    cpu: 500,
    memory: [512, 768],
  },
  catalog: {
    holds: 'series, events and markets, their history, and search',
    uses: ['clickhouse'],
    readsPlans: false,
    folder: { volume: 'copy', contents: 'A copy of all markets, about 400 bytes each. A new process creates it again' },
    cpu: 250,
    memory: [384, 768],
  },
  timeseries: {
    holds: 'observations, books, trades, candles, gaps, previews',
    uses: ['clickhouse', 'redis', 's3-slabs'],
    readsPlans: true,
    folder: {
      volume: 'slabs',
      contents:
        'Rows of markets that are read again: `SLABS_MB` and one more. A new process reads them from the bucket',
      sizeLimit: '2Gi',
    },
    cpu: 500,
    memory: [384, 768],
  },
  export: {
    holds: 'files, links, datasets',
    uses: ['clickhouse', 's3'],
    readsPlans: false,
    settings: { S3_PUBLIC_URL: 'http://127.0.0.1:7070' },
    cpu: 250,
    memory: [256, 512],
  },
  commerce: {
    holds: 'plans, credits, carts, payments',
    uses: [],
    readsPlans: true,
    secrets: { STRIPE_SECRET_KEY: stripe('secret-key'), STRIPE_WEBHOOK_SECRET: stripe('webhook-secret') },
    settings: {
      FREE_CREDITS: '',
      EVENT_PRICE: '',
      STRIPE_PRICE_PRO: '',
      STRIPE_PRICE_FULL_BOOK: '',
      STRIPE_RETURN_URL: '',
      STRIPE_GRACE_DAYS: '',
    },
    cpu: 100,
    memory: [192, 384],
  },
  keys: {
    holds: 'API keys and sessions, and the heartbeat that lets gateways trust their caches',
    uses: ['redis'],
    readsPlans: true,
    cpu: 100,
    memory: [192, 384],
  },
  webhooks: {
    holds: 'deliveries to addresses of accounts',
    uses: [],
    readsPlans: false,
    secrets: {
      WEBHOOK_SECRET: { from: 'almanac-webhooks/secret' },
      WEBHOOK_EARLIER_SECRETS: { from: 'almanac-webhooks/earlier', isOptional: true, mayBeMissing: true },
    },
    settings: { WEBHOOK_LOST_SECRETS: '' },
    cpu: 100,
    memory: [192, 384],
  },
} as const satisfies Readonly<Record<string, ServiceRow>>;

/** A program that is deployed: the gateway, and what answers contracts. */
export type ProcessName = keyof typeof rows;
export type ServiceName = Exclude<ProcessName, 'gateway'>;

export const serviceRows: Readonly<Record<ProcessName, ServiceRow>> = rows;
export const processNames = Object.keys(rows) as readonly ProcessName[];
export const serviceNames = processNames.filter((name): name is ServiceName => name !== 'gateway');

/** Each has a login of its own at NATS. */
export const userNames = [...processNames, 'ingest', 'operator', 'subscriber'] as const;
export type UserName = (typeof userNames)[number];

/** The services that use a server. */
export const usersOf = (server: UsedServer): readonly ProcessName[] =>
  processNames.filter((name) => serviceRows[name].uses.includes(server));
