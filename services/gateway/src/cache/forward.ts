import { hash } from 'node:crypto';
import type { RpcClient } from '@almanac/bus';
import type { ReplyMeta } from '@almanac/contracts';
import type { Response } from 'express';
import { contextOf, type Exchange } from '../http/exchange.js';
import { notStored, pipeReply, readyBody, revalidated, sendBody, writeHead } from '../http/reply.js';
import type { Question } from '../routes/parts.js';
import type { Fills } from './fills.js';
import type { HotAnswer, HotCache } from './hot-cache.js';
import { createLru, type Lru } from './lru.js';

export interface ForwarderOptions {
  readonly rpc: RpcClient;
  readonly cache: HotCache;
  readonly fills: Fills;
  /** An answer is kept from this ask on. */
  readonly asksToKeep: number;
  /** Whether changes arrive, so that what is in memory is what there is. */
  readonly trusted: () => boolean;
}

export interface Forwarder {
  /** Answers from memory what was asked in the very same words before; false when it cannot. */
  recall(exchange: Exchange): boolean;
  forward(question: Question): Promise<void> | void;
  /** The data of a market has this version now. */
  marketChanged(ticker: string, version: number): void;
  /** Something of an account changed that its answers may show. */
  accountChanged(account: string): void;
  /** Nothing in memory counts any more. */
  lost(): void;
}

const marketTopic = (ticker: string): string => `market:${ticker}`;
const accountTopic = (account: string): string => `account:${account}`;
/** Markets whose last version is remembered: those that changed last are those that a service may still be behind on. */
const versionsMax = 100_000;
/** Addresses whose meaning is remembered. */
const addressesMax = 20_000;
const addressLengthMax = 512;

/** Asks a service and hands its bytes on; keeps the answers of rows that say so. */
export const createForwarder = (options: ForwarderOptions): Forwarder => {
  const { rpc, cache, fills, trusted, asksToKeep } = options;
  const versions = createLru<number>(versionsMax);
  // From an address as it was written, with who wrote it, to the key of its answer: validating it again and writing it
  // in its one normal form would take longer than all the rest of a hot answer.
  const keys = createLru<string>(addressesMax);
  const asks = createLru<number>(addressesMax);

  const forwardPlain = async ({ contract, input, exchange }: Question): Promise<void> => {
    const reply = await rpc.forward(contract, { input, context: contextOf(exchange) });
    await pipeReply(exchange.response, reply, { headers: { 'Cache-Control': notStored } });
  };

  const fill = filling(options, versions);

  return {
    recall: (exchange) => {
      const key = keys.get(addressOf(exchange));
      const answer = key !== undefined && trusted() ? cache.get(key) : undefined;
      if (answer === undefined) return false;
      sendHot(exchange, answer);
      return true;
    },
    forward: (question) => {
      const { kept, exchange } = question;
      if (kept === undefined) return forwardPlain(question);
      const { account, plan } = exchange.caller;
      const owner = kept.byAccount ? account : '';
      const key = `${question.path}\n${plan}\n${owner}\n${JSON.stringify(question.input)}`;
      if (exchange.request.url.length <= addressLengthMax) keys.set(addressOf(exchange), key);
      const answer = trusted() ? cache.get(key) : undefined;
      if (answer !== undefined) return sendHot(exchange, answer);
      const topics = [marketTopic(kept.ticker), ...(kept.byAccount ? [accountTopic(account)] : [])];
      const asked = (asks.get(key) ?? 0) + 1;
      asks.set(key, asked);
      return fill(question, key, { ticker: kept.ticker, topics, isKept: asked >= asksToKeep });
    },
    marketChanged: (ticker, version) => {
      versions.set(ticker, version);
      fills.spoil(marketTopic(ticker));
      cache.drop(marketTopic(ticker));
    },
    accountChanged: (account) => {
      fills.spoil(accountTopic(account));
      cache.drop(accountTopic(account));
    },
    lost: () => cache.clear(),
  };
};

interface About {
  readonly ticker: string;
  readonly topics: readonly string[];
  readonly isKept: boolean;
}

/** Asks, answers, and keeps the answer, where it is to be kept, if nothing that it tells of changed in the meantime. */
const filling =
  ({ rpc, cache, fills, trusted }: ForwarderOptions, versions: Lru<number>) =>
  async (question: Question, key: string, about: About): Promise<void> => {
    const { contract, input, exchange } = question;
    const underWay = fills.begin(about.topics);
    const parts: Uint8Array[] = [];
    const keep = (part: Uint8Array): void => void parts.push(part);
    try {
      const reply = await rpc.forward(contract, { input, context: contextOf(exchange) });
      const etag = etagOf(key, reply.meta);
      if (etag === undefined) return await pipeReply(exchange.response, reply, uncached);
      const fits = about.isKept && reply.totalBytes <= cache.answerBytesMax;
      if (isKnown(exchange, etag)) {
        // What is behind a reply's first part is not asked for then, so its producer forgets it.
        notModified(exchange.response, etag);
        keep(reply.first);
      } else await pipeReply(exchange.response, reply, { headers: headersOf(etag), ...(fits ? { keep } : {}) });
      if (!fits) return;
      const current = (reply.meta.version ?? 0) >= (versions.get(about.ticker) ?? 0);
      // A concatenation is a copy: a part is a view of a larger buffer, which must not stay for its sake.
      const bytes = Buffer.concat(parts);
      if (!underWay.fresh || !current || !trusted() || bytes.length !== reply.totalBytes) return;
      const freshUntilMs = (reply.meta.freshUntilUs ?? Number.POSITIVE_INFINITY) / 1_000;
      cache.keep(key, { ...readyBody(bytes), etag, freshUntilMs, topics: about.topics });
    } finally {
      underWay.end();
    }
  };

const addressOf = ({ request, caller }: Exchange): string => `${caller.plan}\n${caller.account}\n${request.url}`;

const uncached = { headers: { 'Cache-Control': notStored } };
const headersOf = (etag: string): Record<string, string> => ({ 'Cache-Control': revalidated, ETag: etag });

const sendHot = (exchange: Exchange, answer: HotAnswer): void => {
  if (isKnown(exchange, answer.etag)) notModified(exchange.response, answer.etag);
  else sendBody(exchange.response, answer, headersOf(answer.etag));
};

/**
 * The same question of the same plan has the same answer as long as the data version and the time until which it holds
 * are the same. Undefined where the answer depends on the moment.
 */
const etagOf = (key: string, { version, freshUntilUs, cacheable }: ReplyMeta): string | undefined =>
  cacheable === false || version === undefined
    ? undefined
    : `"${version}-${hash('sha256', `${key}\n${freshUntilUs ?? ''}`, 'hex').slice(0, 20)}"`;

/** Weak comparison, as If-None-Match has it. */
const isKnown = ({ request }: Exchange, etag: string): boolean => {
  const known = request.headers['if-none-match'];
  if (known === undefined) return false;
  return known.split(',').some((one) => [etag, '*'].includes(one.trim().replace(/^W\//, '')));
};

const notModified = (response: Response, etag: string): void => {
  writeHead(response, 304, headersOf(etag)).end();
};
