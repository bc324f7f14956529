import type { Contract, ServiceName, StreamName } from '@almanac/contracts';
import {
  catalogRpc,
  commerceRpc,
  exportRpc,
  keysRpc,
  serviceNames,
  streams,
  streamsRpc,
  timeseriesRpc,
  webhooksRpc,
} from '@almanac/contracts';
import { deadLetterStream, durables, personalStream, type UserName, webhookStream } from '../names.js';

export interface ExpectedAccess {
  readonly owns: readonly StreamName[];
  readonly appends: readonly (readonly [StreamName, string])[];
  readonly reads: readonly StreamName[];
  readonly follows: readonly StreamName[];
  readonly consumes: readonly (readonly [StreamName, string])[];
  readonly subscribesTo: readonly (readonly [StreamName, string])[];
  readonly calls: readonly Contract[];
  /** Streams that it copies for a backup. */
  readonly keeps: readonly string[];
}

const noAccess: ExpectedAccess = {
  owns: [],
  appends: [],
  reads: [],
  follows: [],
  consumes: [],
  subscribesTo: [],
  calls: [],
  keeps: [],
};

/** Describes each process' access a second time on purpose, so that a test notices an added or missing right. */
export const expectedAccess: Readonly<Record<UserName, ExpectedAccess>> = {
  gateway: {
    ...noAccess,
    reads: ['EVT_EXPORT'],
    follows: ['EVT_EXPORT', 'EVT_ARCHIVE', 'EVT_CATALOG', 'EVT_KEYS', 'EVT_COMMERCE'],
    calls: [
      catalogRpc.search,
      catalogRpc.categories,
      catalogRpc.listSeries,
      catalogRpc.seriesDetail,
      catalogRpc.eventDetail,
      catalogRpc.listMarkets,
      catalogRpc.marketDetail,
      catalogRpc.nearestId,
      timeseriesRpc.snapshots,
      timeseriesRpc.trades,
      timeseriesRpc.preview,
      timeseriesRpc.book,
      timeseriesRpc.marketsAt,
      timeseriesRpc.candles,
      timeseriesRpc.candleBatch,
      timeseriesRpc.eventSnapshots,
      ...Object.values(exportRpc),
      commerceRpc.plan,
      commerceRpc.cart,
      commerceRpc.addToCart,
      commerceRpc.removeFromCart,
      commerceRpc.checkout,
      commerceRpc.upgrade,
      commerceRpc.portal,
      commerceRpc.stripeWebhook,
      keysRpc.authenticate,
      keysRpc.checkKey,
      keysRpc.endSession,
      keysRpc.list,
      keysRpc.create,
      keysRpc.revoke,
      ...Object.values(webhooksRpc),
      ...Object.values(streamsRpc),
    ],
  },
  catalog: {
    ...noAccess,
    owns: ['EVT_CATALOG', 'EVT_ARCHIVE'],
    keeps: ['EVT_CATALOG', 'EVT_ARCHIVE'],
    appends: [
      ['EVT_CATALOG', 'market.A'],
      ['EVT_ARCHIVE', 'market.A'],
    ],
    reads: ['EVT_CATALOG', 'EVT_ARCHIVE'],
    follows: ['EVT_CATALOG'],
    consumes: [['EVT_CATALOG', durables.catalogReadModel]],
  },
  timeseries: {
    ...noAccess,
    calls: [catalogRpc.record, catalogRpc.eventDetail],
    owns: ['EVT_ARCHIVE'],
    appends: [['EVT_ARCHIVE', 'market.B']],
    reads: ['EVT_ARCHIVE', 'EVT_CATALOG', 'EVT_COMMERCE'],
    follows: ['EVT_CATALOG', 'EVT_ARCHIVE'],
    consumes: [
      ['EVT_ARCHIVE', durables.timeseriesSettled],
      ['EVT_ARCHIVE', durables.timeseriesTrades],
    ],
  },
  export: {
    ...noAccess,
    owns: ['EVT_EXPORT', 'EVT_FILE'],
    keeps: ['EVT_EXPORT', 'EVT_FILE'],
    appends: [
      ['EVT_EXPORT', 'a.1'],
      ['EVT_FILE', 'k'],
    ],
    reads: ['EVT_EXPORT', 'EVT_FILE', 'EVT_ARCHIVE', 'EVT_CATALOG'],
    follows: ['EVT_EXPORT'],
    consumes: [
      ['EVT_EXPORT', durables.exportFiles],
      ['EVT_EXPORT', durables.exportList],
      ['EVT_FILE', durables.exportCompletions],
      ['EVT_FILE', durables.exportWorkers],
    ],
    calls: [catalogRpc.exportTarget, commerceRpc.reserve, commerceRpc.quote],
  },
  commerce: {
    ...noAccess,
    owns: ['EVT_COMMERCE', 'EVT_STRIPE'],
    keeps: ['EVT_COMMERCE', 'EVT_STRIPE', personalStream],
    appends: [
      ['EVT_COMMERCE', 'a'],
      ['EVT_COMMERCE', 'a.unlock.E'],
      ['EVT_STRIPE', 'evt_1'],
      ['EVT_EXPORT', 'a.2'],
    ],
    reads: ['EVT_COMMERCE', 'EVT_STRIPE', 'EVT_EXPORT', 'EVT_KEYS', 'EVT_CATALOG'],
    follows: ['EVT_COMMERCE'],
    consumes: [
      ['EVT_EXPORT', durables.commerceExports],
      ['EVT_COMMERCE', durables.commerceCheckouts],
      ['EVT_COMMERCE', durables.commerceUpgrades],
      ['EVT_STRIPE', durables.commerceStripe],
    ],
  },
  keys: {
    ...noAccess,
    owns: ['EVT_KEYS'],
    keeps: ['EVT_KEYS'],
    appends: [['EVT_KEYS', 'a']],
    reads: ['EVT_KEYS', 'EVT_COMMERCE'],
    follows: ['EVT_KEYS'],
  },
  webhooks: {
    ...noAccess,
    owns: ['EVT_WEBHOOK'],
    keeps: ['EVT_WEBHOOK', webhookStream],
    appends: [['EVT_WEBHOOK', 'a']],
    reads: ['EVT_WEBHOOK', 'EVT_EXPORT', 'EVT_CATALOG', 'EVT_ARCHIVE'],
    follows: ['EVT_WEBHOOK'],
    consumes: [
      ['EVT_EXPORT', durables.webhookExports],
      ['EVT_CATALOG', durables.webhookSettled],
      ['EVT_ARCHIVE', durables.webhookData],
    ],
  },
  ingest: { ...noAccess, calls: [catalogRpc.record, catalogRpc.awaitReadable, timeseriesRpc.store] },
  operator: {
    ...noAccess,
    follows: ['EVT_COMMERCE', 'EVT_KEYS', 'EVT_EXPORT', 'EVT_WEBHOOK'],
    keeps: [deadLetterStream],
    calls: [
      commerceRpc.openAccount,
      commerceRpc.findAccount,
      commerceRpc.listPlans,
      commerceRpc.changePlan,
      commerceRpc.eraseAccount,
      keysRpc.list,
      keysRpc.create,
      keysRpc.revoke,
    ],
  },
  subscriber: { ...noAccess, subscribesTo: [['EVT_EXPORT', durables.subscriber]] },
};

export const servedBy = (user: UserName): ServiceName | undefined => serviceNames.find((service) => service === user);
export const allContracts = [
  catalogRpc,
  timeseriesRpc,
  exportRpc,
  commerceRpc,
  keysRpc,
  webhooksRpc,
  streamsRpc,
].flatMap(Object.values<Contract>);
export const allStreams = Object.keys(streams) as StreamName[];
