import { type RpcClient, type RpcReply, subjects } from '@almanac/bus';
import { LRUCache } from 'lru-cache';
import { disconnectSignal } from '../http/client-disconnect.js';
import type { Exchange } from '../http/exchange.js';
import type { Form } from '../http/content-negotiation.js';
import { faultOfNotice } from '../validation/unknown.js';
import { isStrict, noticesOf } from '../notices/request-notices.js';
import type { ForwardedCall } from './route-deps.js';
import { ValidationError } from '../validation/fault.js';
import { createFrequencySketch } from './frequency-sketch.js';
import { callService, cacheFiller, type CacheFillerOptions } from './cache-filler.js';
import { responseMetadataOf } from './cached-response.js';
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
const addressLengthMax = 512;

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
  // Maps an address as written, with its caller, to the key of its answer. Validating and normalising an address
  // again would take longer than the rest of a cached answer.
  const keys = new LRUCache<string, string>({
    maxSize: addressBytesMax,
    sizeCalculation: (key, address) => textBytes(address) + textBytes(key) + addressOverheadBytes,
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
    /** Answers from memory if an identical request came before. Undefined if it cannot. */
    answerFromCache: (path: string, exchange: Exchange, form: Form | undefined): SendResult | undefined => {
      const key = keys.get(addressOf(exchange, form));
      const sending = key === undefined ? undefined : serve.sendCached(exchange, key);
      if (sending !== undefined) metrics.hit(path);
      return sending;
    },
    forward: (call: ForwardedCall): SendResult => {
      const { cacheable, exchange, form } = call;
      if (cacheable === undefined) return forwardPlain(rpc, call, call.revalidates === true ? keyOf(call) : undefined);
      const { account } = exchange.caller;
      const key = keyOf(call, cacheable.byAccount ? account : '');
      const sending = serve.sendCached(exchange, key);
      if (sending !== undefined) {
        // Stored only on a hit: most addresses occur once and would fill the memory. An address with an unknown part
        // is not stored, because its notices come from its validation.
        metrics.hit(call.path);
        const isKnown = noticesOf(exchange.response).length === 0;
        if (isKnown && exchange.request.url.length <= addressLengthMax) keys.set(addressOf(exchange, form), key);
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

const addressOf = ({ request, caller }: Exchange, form: Form | undefined): string =>
  `${caller.plan}\n${caller.account}\n${caller.asOf ?? ''}\n${form?.id ?? ''}\n${request.url}`;

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
