import { type RpcClient, type RpcReply, subjects } from '@almanac/bus';
import { LRUCache } from 'lru-cache';
import { disconnectSignal } from '../http/client-disconnect.js';
import type { Caller, ReceivedRequest } from '../http/exchange.js';
import { faultOfNotice } from '../validation/unknown.js';
import { isStrict, noticesOf } from '../notices/request-notices.js';
import type { ForwardedCall } from './route-deps.js';
import { ValidationError } from '../validation/fault.js';
import { createFrequencySketch } from './frequency-sketch.js';
import { callService, cacheFiller, type CacheFillerOptions, requireMemory } from './cache-filler.js';
import { type CachedResponse, responseMetadataOf } from './cached-response.js';
import { anySeriesTopic, archiveFeed, catalogueFeed, type Feed, type FeedName, marketTopic } from './feeds.js';
import { textBytes } from './response-cache.js';
import type { CacheMetrics } from './metrics.js';
import { type SendResult, sendReply, responseSender } from './send-response.js';

export type Forwarder = ReturnType<typeof createForwarder>;

const accountTopic = (account: string): string => `account:${account}`;
/** Memory limit for the keys by address. */
const addressBytesMax = 8 * 1_048_576;
/** Overhead of an entry beside its texts. */
const addressOverheadBytes = 200;
const addressLengthMax = 768;

/** Where the answer to an address is cached. */
interface KnownAddress {
  readonly key: string;
  readonly path: string;
}

export interface AnswerOfAddress {
  readonly path: string;
  readonly answer: CachedResponse;
}

interface ForwarderOptions extends CacheFillerOptions {
  readonly metrics: CacheMetrics;
  readonly archive: Pick<Feed, 'trusted'>;
  readonly catalogue: Pick<Feed, 'trusted' | 'position'>;
  /** Equal on all gateways. Keys begin with it, so that an ETag shows nothing of what it is the hash of. */
  readonly etagSecret: string;
}

/** Forwards calls to services and returns their bytes unchanged. Caches the answers of cacheable routes. */
export const createForwarder = (options: ForwarderOptions) => {
  const { rpc, cache, fills, metrics, etagSecret, requestsBeforeCaching } = options;
  const archive = archiveFeed(options.archive.trusted);
  const feeds: Readonly<Record<FeedName, Feed>> = { archive, catalogue: catalogueFeed(options.catalogue) };
  // Maps an address as written, with its caller, to the key of its answer. Routing, validating and normalising it again
  // would take longer than the rest of a cached answer.
  const addresses = new LRUCache<string, KnownAddress>({
    maxSize: addressBytesMax,
    sizeCalculation: ({ key }, address) => textBytes(address) + textBytes(key) + addressOverheadBytes,
  });
  const sketch = createFrequencySketch();
  const serve = responseSender(cache);
  const fill = cacheFiller(options, { sketch, serve });
  const keyOf = ({ path, exchange, input }: ForwardedCall, owner = ''): string =>
    `${etagSecret}\n${path}\n${exchange.caller.plan}\n${owner}\n${JSON.stringify(input)}`;
  const changed = (topic: string): void => {
    fills.invalidate(topic);
    cache.invalidate(topic);
  };

  return {
    /** The cached answer to a GET with an address that was answered before, and its route's path. */
    answerTo: (request: ReceivedRequest, caller: Caller): AnswerOfAddress | undefined => {
      const known = addresses.get(addressOf(request, caller));
      if (known === undefined) return undefined;
      const answer = serve.sendable(request, known.key);
      return answer && { path: known.path, answer };
    },
    /** Counts that an answer of `answerTo` was sent. */
    countHit: metrics.hit,
    forward: (call: ForwardedCall): SendResult => {
      const { cacheable, exchange } = call;
      if (cacheable === undefined) return forwardPlain(rpc, call, call.revalidates === true ? keyOf(call) : undefined);
      const { account } = exchange.caller;
      const key = keyOf(call, cacheable.byAccount ? account : '');
      const sending = serve.sendCached(exchange, key);
      if (sending !== undefined) {
        // Stored only on a hit: most addresses occur once and would fill the memory. An address with an unknown part
        // is not stored, because its notices come from its validation.
        metrics.hit(call.path);
        const isKnown = noticesOf(exchange.response).length === 0;
        const address = addressOf(exchange.request, exchange.caller);
        if (isKnown && address.length <= addressLengthMax) addresses.set(address, { key, path: call.path });
        return sending;
      }
      metrics.miss(call.path);
      sketch.increment(key);
      const feed = feeds[cacheable.feed ?? 'archive'];
      if (!feed.sharesFirst && sketch.estimate(key) < requestsBeforeCaching) return forwardPlain(rpc, call, key);
      const accountTopics = cacheable.byAccount ? [accountTopic(account)] : [];
      return fill(call, { key, ticker: cacheable.ticker, feed, accountTopics });
    },
    /** Invalidates answers from a market's data. `version` is its new data version, if known. */
    marketChanged: (ticker: string, version?: number) => {
      if (version !== undefined) archive.versionChanged(ticker, version);
      changed(marketTopic(ticker));
    },
    /** Invalidates answers from a market or series of the catalogue. */
    catalogueChanged: (subject: string) => {
      if (subject.startsWith(ofSeries)) fills.invalidate(anySeriesTopic);
      changed(subject);
    },
    /** Invalidates answers that depend on an account. */
    accountChanged: (account: string) => changed(accountTopic(account)),
  };
};

const ofSeries = subjects.series('');

/** Everything that decides about the answer, as the client wrote it. */
const addressOf = ({ url, headers }: ReceivedRequest, { plan, account, asOf }: Caller): string =>
  `${plan}\n${account}\n${asOf ?? ''}\n${headers.accept ?? ''}\n${url}`;

/** With `Prefer: handling=strict`, a filter value that the service does not know is an error. */
const refuseUnknownValues = ({ exchange, input }: ForwardedCall, { meta, cancelRest }: RpcReply): void => {
  const unknown = meta.notices?.filter(({ code }) => code === 'unknown_value') ?? [];
  if (unknown.length === 0 || !isStrict(exchange.request.headers)) return;
  cancelRest?.();
  throw new ValidationError(unknown.map((notice) => faultOfNotice(notice, input)));
};

/**
 * A query stops when its client disconnects; a command continues. Only answers to queries are compressed. With a key, the
 * answer has an ETag.
 */
const forwardPlain = async (rpc: RpcClient, call: ForwardedCall, key: string | undefined): Promise<void> => {
  const { contract, exchange } = call;
  requireMemory(call);
  const reply = await callService(
    rpc,
    call,
    contract.kind === 'query' ? disconnectSignal(exchange.response) : undefined,
  );
  refuseUnknownValues(call, reply);
  const { method } = exchange.request;
  await sendReply(exchange, reply, responseMetadataOf(reply, call.form, key), {
    mayPack: method === 'GET' || method === 'HEAD',
  });
};
