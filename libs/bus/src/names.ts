import type { Contract, ServiceName, StreamName } from '@almanac/contracts';
import { streams } from '@almanac/contracts';

/** In bytes, after encoding. For a subject of several kilobytes the server closes the connection. */
export const tokenBytesMax = 255;

const plain = /^[A-Za-z0-9_-]+$/;

/**
 * Encodes an id as one subject token. Every byte except letters, digits, `_` and `-` is percent-encoded: a dot splits
 * a subject (`T95999.99`), and `*` and `>` are wildcards.
 */
export const tokenOf = (id: string): string => {
  if (plain.test(id)) return id;
  let token = '';
  for (const byte of Buffer.from(id, 'utf8')) {
    const character = String.fromCharCode(byte);
    token += plain.test(character) ? character : `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
  }
  return token;
};

/**
 * Whether an id can name an entity. A query with an invalid id answers not found; an import rejects it. An unpaired
 * surrogate has no UTF-8 bytes of its own, so two such ids would share a subject.
 */
export const isValidId = (id: string): boolean =>
  id.length > 0 && id.isWellFormed() && tokenOf(id).length <= tokenBytesMax;

export const idOf = (token: string): string => decodeURIComponent(token);

/** The key-value bucket of all personal data. Events contain none, so it can be erased. */
export const personalBucket = 'PERSONAL';
export const personalStream = `KV_${personalBucket}`;

/** Beginnings of subjects: of dead letters of unreadable messages, and of the operator's acknowledgements of them. */
export const unreadablePrefix = 'dead.unreadable-';
export const acknowledgedPrefix = 'dead.acknowledged-';

export const subjects = {
  rpc: (contract: Pick<Contract, 'service' | 'method'>) => `rpc.${contract.service}.v1.${contract.method}`,
  /** Cancels a running call. Every process of the service subscribes. */
  cancel: (service: ServiceName) => `cancel.${service}`,
  market: (ticker: string) => `evt.catalog.market.${tokenOf(ticker)}`,
  series: (id: string) => `evt.catalog.series.${tokenOf(id)}`,
  event: (eventTicker: string) => `evt.catalog.event.${tokenOf(eventTicker)}`,
  archive: (ticker: string) => `evt.archive.market.${tokenOf(ticker)}`,
  keyring: (account: string) => `evt.keys.${tokenOf(account)}`,
  account: (account: string) => `evt.commerce.${tokenOf(account)}`,
  unlock: (account: string, event: string) => `evt.commerce.${tokenOf(account)}.unlock.${tokenOf(event)}`,
  checkout: (account: string, id: string) => `evt.commerce.${tokenOf(account)}.checkout.${tokenOf(id)}`,
  upgrade: (account: string, id: string) => `evt.commerce.${tokenOf(account)}.upgrade.${tokenOf(id)}`,
  stripeEvent: (id: string) => `evt.commerce-stripe.${tokenOf(id)}`,
  /** The person behind an account. Not an event, so it can be erased. */
  person: (account: string) => `$KV.${personalBucket}.account.${tokenOf(account)}`,
  /** By the hash of the e-mail address, because subjects appear in places that must not show an address. */
  personEmail: (hash: string) => `$KV.${personalBucket}.email.${tokenOf(hash)}`,
  export: (account: string, id: string) => `evt.export.${tokenOf(account)}.${tokenOf(id)}`,
  file: (key: string) => `evt.file.${tokenOf(key)}`,
  /** An export that waits for a file. */
  fileWaiter: (key: string, exportId: string) => `evt.file.${tokenOf(key)}.${tokenOf(exportId)}`,
  /** The last day on which a file was downloaded. */
  fileUse: (key: string) => `evt.file.used.${tokenOf(key)}`,
  /** A file that can be cited. */
  dataset: (id: string) => `evt.file.dataset.${tokenOf(id)}`,
  /** How far a sweep of files has read the stream, and which process runs it. */
  fileSweep: (sweep: string) => `evt.file.sweep.${tokenOf(sweep)}`,
  keysHeartbeat: 'heartbeat.keys',
  /** Each webhooks process tells the others that it runs, so that they share the work. */
  webhooksHeartbeat: 'heartbeat.webhooks',
  webhooks: (account: string) => `evt.webhook.${tokenOf(account)}`,
  /** Progress of a file, without storage. */
  fileProgress: (key: string) => `progress.export-file.${tokenOf(key)}`,
  dead: (durable: string) => `dead.${durable}`,
  /** The dead letter of an unreadable message. Each message has its own subject, so that it is stored once. */
  unreadable: (stream: StreamName, seq: number) => `${unreadablePrefix}${stream}-${seq}`,
  retry: (durable: string) => `retry.${durable}`,
  /** The operator's request to a service to discard newer events of a subject. */
  discard: (stream: string) => `discard.${stream}`,
  /** The operator's request to a service for a copy of a stream. */
  backup: (stream: string) => `backup.${stream}`,
  status: 'status',
} as const;

/** Subjects of the checkpoint of open accounts. No entity with four tokens has the account `-`. */
export const checkpointSubjects = {
  openAccounts: 'evt.commerce.-.open-accounts',
  /**
   * The same event once more for each durable consumer with a filter. Otherwise a consumer without events would stay at
   * an old position, and nats-server 2.9 would search everything after it at each start.
   */
  ofConsumers: ['evt.commerce.-.checkout.-', 'evt.commerce.-.upgrade.-'],
} as const;

export const patterns = {
  allOf: (stream: StreamName) => `evt.${streams[stream]}.>`,
  allSeries: 'evt.catalog.series.*',
  allMarkets: 'evt.catalog.market.*',
  allAccounts: 'evt.commerce.*',
  allCheckouts: 'evt.commerce.*.checkout.*',
  allUpgrades: 'evt.commerce.*.upgrade.*',
  /** An account's unlocks, checkouts and upgrades, without the account's own subject. */
  subjectsOfAccount: (account: string) => `evt.commerce.${tokenOf(account)}.>`,
  /** Files, without the exports that wait for them. */
  allFiles: 'evt.file.*',
  waitersOf: (key: string) => `evt.file.${tokenOf(key)}.*`,
  allFileUses: 'evt.file.used.*',
  allFileProgress: 'progress.export-file.*',
  allWebhooks: 'evt.webhook.*',
  exportsOf: (account: string) => `evt.export.${tokenOf(account)}.*`,
} as const;

/** Durable consumers. All processes of a service share one position. */
export const durables = {
  catalogReadModel: 'catalog-read-model',
  timeseriesSettled: 'timeseries-settled',
  timeseriesTrades: 'timeseries-trades',
  commerceExports: 'commerce-exports',
  commerceCheckouts: 'commerce-checkouts',
  commerceUpgrades: 'commerce-upgrades',
  commerceStripe: 'commerce-stripe',
  exportFiles: 'export-files',
  exportCompletions: 'export-completions',
  exportWorkers: 'export-workers',
  exportList: 'export-list',
  webhookExports: 'webhook-exports',
  webhookSettled: 'webhook-settled',
  webhookData: 'webhook-data',
  /** The subscriber to exports in `examples/subscriber`. */
  subscriber: 'subscriber',
} as const;

/** Holds messages that could not be processed. */
export const deadLetterStream = 'DEAD';

/** Holds the deliveries of webhooks that wait, and the log of their attempts. */
export const webhookStream = 'WEBHOOKS';

export interface HeartbeatStream {
  readonly name: string;
  /** A message that proves that the server answers. Nobody reads it. */
  readonly heartbeat: string;
  /** The sequence in EVT_KEYS up to which revocations were answered. */
  readonly mark: string;
}

/** The NATS account of all of them has this name. */
export const heartbeatStream = 'HEARTBEAT';

/** Streams of the keys service in a cluster, each in the memory of one server (key-marks.ts). A stream has at most five replicas. */
export const heartbeatStreams: readonly HeartbeatStream[] = [1, 2, 3, 4, 5].map((n) => ({
  name: n === 1 ? heartbeatStream : `${heartbeatStream}_${n}`,
  heartbeat: n === 1 ? 'stored.heartbeat.keys' : `stored.heartbeat-${n}.keys`,
  mark: n === 1 ? 'stored.mark.keys' : `stored.mark-${n}.keys`,
}));

/** Those of a cluster that has so many replicas of each stream. */
export const heartbeatStreamsOf = (replicas: number): readonly HeartbeatStream[] => heartbeatStreams.slice(0, replicas);

export const headerNames = {
  account: 'Almanac-Account',
  plan: 'Almanac-Plan',
  requestId: 'Almanac-Request-Id',
  /** A status request with it is answered twice: at once without a body, then with the status. */
  announce: 'Almanac-Announce',
  /** A status request with it is answered without metrics, which are most of the answer. */
  withoutMetrics: 'Almanac-Without-Metrics',
  /** The names are those of W3C Trace Context. */
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  call: 'Almanac-Call',
  /** Of the question who works on a call: a process that does not tells an inbox at which it receives requests. */
  direct: 'Almanac-Direct',
  timeoutMs: 'Almanac-Timeout-Ms',
  error: 'Almanac-Error',
  meta: 'Almanac-Meta',
  chunks: 'Almanac-Chunks',
  bytes: 'Almanac-Bytes',
  trailer: 'Almanac-Trailer',
  /** Of a reply whose chunks may be requested again. */
  repeats: 'Almanac-Repeats',
  /** Of a request for a chunk: the number of the last chunk that the caller has with all before it. */
  arrived: 'Almanac-Arrived',
} as const;

/** The reply prefix of one user. No other user can subscribe to it. */
export const inboxOf = (user: string): string => `_INBOX.${user}`;

export const queueOf = (service: ServiceName): string => service;
