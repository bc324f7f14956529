import { bytesOf, chunkBytes, type RpcClient, type RpcReply } from '@almanac/bus';
import { asOfMicros, DomainError } from '@almanac/contracts';
import { z } from 'zod';
import { disconnectSignal } from '../http/client-disconnect.js';
import { contextOf, type Exchange } from '../http/exchange.js';
import { readyBody } from '../http/reply.js';
import { replaceNotices } from '../notices/notices-in-json.js';
import type { ForwardedCall } from './route-deps.js';
import type { FrequencySketch } from './frequency-sketch.js';
import type { Fill, Fills } from './cache-fills.js';
import type { Feed } from './feeds.js';
import { createSingleFlight, type SharedReply } from './single-flight.js';
import { type CachedResponse, type ResponseMetadata, responseMetadataOf, completeResponse } from './cached-response.js';
import type { ResponseCache } from './response-cache.js';
import { sendReply, type ResponseSender } from './send-response.js';

export const callService = async (
  rpc: RpcClient,
  { contract, input, exchange }: ForwardedCall,
  signal?: AbortSignal,
): Promise<RpcReply> => {
  const context = contextOf(exchange);
  const reply = await rpc.forward(contract, { input, context, ...(signal === undefined ? {} : { signal }) });
  confirmAsOf(input, reply);
  return reply;
};

/** Throws `unavailable` before a service reads the start of an answer for which there is no memory. */
export const requireMemory = ({ input, exchange }: ForwardedCall): void => {
  if (isWhole(input)) exchange.reserveAnswer(exchange, chunkBytes).release();
};

/** A bulk read, whose answer is usually long. */
const isWhole = (input: unknown): boolean =>
  typeof input === 'object' && input !== null && 'whole' in input && input.whole === true;

const past = z.object({ as_of: z.number() });

/**
 * A service of a release that does not know `as_of` would answer about the present, or make a key that reads it. Throws
 * `unavailable`.
 */
const confirmAsOf = (input: unknown, { meta, cancelRest }: RpcReply): void => {
  const requested = past.safeParse(input).data;
  if (requested === undefined || meta.asOf === asOfMicros(requested.as_of) / 1e6) return;
  cancelRest?.();
  throw new DomainError('unavailable', 'This server cannot answer as of a time yet. Try again in a few minutes.');
};

export interface CacheFillerOptions {
  readonly rpc: RpcClient;
  readonly cache: ResponseCache;
  readonly fills: Fills;
  /** An answer is cached from this request on. */
  readonly requestsBeforeCaching: number;
}

interface CacheTarget {
  readonly key: string;
  readonly ticker: string;
  readonly feed: Feed;
  /** For an answer that also depends on the account. */
  readonly accountTopics: readonly string[];
}

interface CacheState {
  readonly sketch: FrequencySketch;
  readonly serve: ResponseSender;
}

const cachePolicy = ({ cache, requestsBeforeCaching }: CacheFillerOptions, { sketch }: Pick<CacheState, 'sketch'>) => {
  const isCacheable = ({ key }: CacheTarget, { totalBytes }: RpcReply, { etag }: ResponseMetadata): boolean =>
    etag !== undefined && totalBytes <= cache.answerBytesMax && sketch.estimate(key) >= requestsBeforeCaching;

  const isCurrent = ({ ticker, feed }: CacheTarget, { meta }: RpcReply, { fresh, since }: Fill): boolean =>
    fresh && feed.trusted() && feed.isCurrent(meta, { ticker, since });

  const cachedResponseOf = (
    about: CacheTarget,
    { meta }: RpcReply,
    metadata: ResponseMetadata,
    bytes: Uint8Array,
  ): CachedResponse => ({
    ...completeResponse(metadata, readyBody(withServiceNotices(bytes, metadata), metadata.isText)),
    freshUntilMs: (meta.freshUntilUs ?? Number.POSITIVE_INFINITY) / 1_000,
    topics: [...about.feed.topicsAfter(about.ticker, meta), ...about.accountTopics],
    trusted: about.feed.trusted,
  });

  return { isCacheable, isCurrent, cachedResponseOf };
};

const withServiceNotices = (bytes: Uint8Array, { isJson, notices }: ResponseMetadata): Uint8Array =>
  isJson ? replaceNotices(bytes, { from: [], to: notices }) : bytes;

const beginFill = (fills: Fills, { feed, ticker, accountTopics }: CacheTarget): Fill =>
  fills.begin([...feed.topicsBefore(ticker), ...accountTopics], feed.position());

/** Sends the request, and caches the answer if the policy allows it and its data has not changed meanwhile. */
export const cacheFiller = (options: CacheFillerOptions, { sketch, serve }: CacheState) => {
  const { rpc, cache, fills } = options;
  const singleFlight = createSingleFlight();

  const { isCacheable, isCurrent, cachedResponseOf } = cachePolicy(options, { sketch });

  /** The complete answer, built once for all callers that wait for it. */
  const sendComplete = async (about: CacheTarget, { reply, fill }: SharedReply, metadata: ResponseMetadata) => {
    try {
      const bytes = await bytesOf(reply);
      const isCached = isCacheable(about, reply, metadata) && isCurrent(about, reply, fill);
      // The chunk is a view of a larger buffer, which the cache must not retain.
      const ownBytes = isCached && reply.rest === undefined ? Buffer.from(bytes) : bytes;
      const response = cachedResponseOf(about, reply, metadata, ownBytes);
      if (isCached) cache.set(about.key, response);
      return response;
    } finally {
      fill.end();
    }
  };

  /** Streams a long reply to one client, and caches a copy if the policy allows it. */
  const through = async (
    exchange: Exchange,
    about: CacheTarget,
    { reply, fill }: SharedReply,
    metadata: ResponseMetadata,
  ): Promise<void> => {
    const chunks: Uint8Array[] = [];
    const collectOptions = isCacheable(about, reply, metadata)
      ? { onChunk: (chunk: Uint8Array) => void chunks.push(chunk) }
      : {};
    try {
      await sendReply(exchange, reply, metadata, { mayPack: true, ...collectOptions });
      const bytes = Buffer.concat(chunks);
      if (bytes.length === reply.totalBytes && isCurrent(about, reply, fill)) {
        cache.set(about.key, cachedResponseOf(about, reply, metadata, bytes));
      }
    } finally {
      fill.end();
    }
  };

  return async (call: ForwardedCall, about: CacheTarget): Promise<void> => {
    const { exchange, form } = call;
    requireMemory(call);
    const disconnected = disconnectSignal(exchange.response);
    const load = (signal: AbortSignal) => callService(rpc, call, signal);
    const loader = { fill: () => beginFill(fills, about), trusted: about.feed.trusted, load };
    const sharedReply = await singleFlight.join(about.key, loader, disconnected);
    const { reply, isFirst, isShared } = sharedReply;
    const metadata = responseMetadataOf(reply, form, about.key);
    const isShareable = metadata.etag !== undefined && reply.totalBytes <= cache.answerBytesMax;
    if (isFirst && !isShared) {
      if (reply.rest !== undefined) return through(exchange, about, sharedReply, metadata);
    } else if (!isShareable) {
      if (isFirst) return through(exchange, about, sharedReply, metadata);
      const own = await callService(rpc, call, disconnected);
      return sendReply(exchange, own, responseMetadataOf(own, form, about.key), { mayPack: true });
    }
    const cachedResponse = await sharedReply.once(() => sendComplete(about, sharedReply, metadata));
    const sending = serve.ready(exchange, about.key, cachedResponse);
    if (sending !== 'sent') await sending;
  };
};
