import type { Contract, ServiceName, StreamName } from '@almanac/contracts';
import { streams } from '@almanac/contracts';

/** The longest subject token, in bytes after encoding; a subject of some kilobytes makes the server drop the connection. */
export const tokenBytesMax = 255;

const plain = /^[A-Za-z0-9_-]+$/;

/**
 * One id as one subject token: every byte that is not a letter, digit, `_` or `-` is percent-encoded, since a dot
 * splits a subject (`T95999.99`) and `*` and `>` are wildcards.
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
 * Whether an id can name a thing at all; one that cannot is answered as not found, and refused at import. Half a
 * surrogate pair has no bytes of its own: two such ids would share a subject.
 */
export const isValidId = (id: string): boolean =>
  id.length > 0 && id.isWellFormed() && tokenOf(id).length <= tokenBytesMax;

/** The id behind a token of a subject. */
export const idOf = (token: string): string => decodeURIComponent(token);

/** The key-value bucket of what is known of persons; all that is, and in no event. */
export const personalBucket = 'PERSONAL';
/** The stream that a bucket is. */
export const personalStream = `KV_${personalBucket}`;

export const subjects = {
  rpc: (contract: Pick<Contract, 'service' | 'method'>) => `rpc.${contract.service}.v1.${contract.method}`,
  /** Where every process of a service hears which call nobody waits for any more. */
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
  /** Who is behind an account; no event, and may be erased. */
  person: (account: string) => `$KV.${personalBucket}.account.${tokenOf(account)}`,
  /** Whose an e-mail address is, by a hash of it: subjects show in places where no address may. */
  personEmail: (hash: string) => `$KV.${personalBucket}.email.${tokenOf(hash)}`,
  export: (account: string, id: string) => `evt.export.${tokenOf(account)}.${tokenOf(id)}`,
  file: (key: string) => `evt.file.${tokenOf(key)}`,
  keysHeartbeat: 'beat.keys',
  /** How far a file is, for whoever listens just now. */
  fileProgress: (key: string) => `progress.export-file.${tokenOf(key)}`,
  dead: (durable: string) => `dead.${durable}`,
  /** Where the operator asks for a dead letter to be handled once more. */
  retry: (durable: string) => `retry.${durable}`,
  /** Where the operator asks all processes how they are. */
  status: 'status',
} as const;

/** Subjects of many things, for consumers. */
export const patterns = {
  allOf: (stream: StreamName) => `evt.${streams[stream]}.>`,
  allSeries: 'evt.catalog.series.*',
  allMarkets: 'evt.catalog.market.*',
  allAccounts: 'evt.commerce.*',
  allCheckouts: 'evt.commerce.*.checkout.*',
  allUpgrades: 'evt.commerce.*.upgrade.*',
  /** An account's unlocks, checkouts and upgrades, but not itself. */
  subjectsOfAccount: (account: string) => `evt.commerce.${tokenOf(account)}.>`,
  allFileProgress: 'progress.export-file.*',
  exportsOf: (account: string) => `evt.export.${tokenOf(account)}.*`,
} as const;

/** Durable consumers: one position that all processes of a service share. */
export const durables = {
  catalogReadModel: 'catalog-read-model',
  timeseriesSettled: 'timeseries-settled',
  commerceExports: 'commerce-exports',
  commerceCheckouts: 'commerce-checkouts',
  commerceUpgrades: 'commerce-upgrades',
  commerceStripe: 'commerce-stripe',
  exportFiles: 'export-files',
  exportCompletions: 'export-completions',
  exportWorkers: 'export-workers',
  exportList: 'export-list',
  /** Of the example of a subscriber to exports, test/subscriber. */
  subscriber: 'subscriber',
} as const;

/** What could not be processed, kept for the operator. */
export const deadLetterStream = 'DEAD';

export const headerNames = {
  account: 'Almanac-Account',
  plan: 'Almanac-Plan',
  requestId: 'Almanac-Request-Id',
  /** The two of W3C Trace Context, under their own names. */
  traceparent: 'traceparent',
  tracestate: 'tracestate',
  call: 'Almanac-Call',
  timeoutMs: 'Almanac-Timeout-Ms',
  error: 'Almanac-Error',
  meta: 'Almanac-Meta',
  chunks: 'Almanac-Chunks',
  bytes: 'Almanac-Bytes',
} as const;

export const userNames = [
  'gateway',
  'catalog',
  'timeseries',
  'export',
  'commerce',
  'keys',
  'ingest',
  'operator',
  'subscriber',
] as const;
export type UserName = (typeof userNames)[number];

/** Where replies to one user go: no user can listen to another's. */
export const inboxOf = (user: string): string => `_INBOX.${user}`;

export const queueOf = (service: ServiceName): string => service;
