import { hash } from 'node:crypto';
import type { RpcClient } from '@almanac/bus';
import type { ReplyMeta } from '@almanac/contracts';
import type { Response } from 'express';
import { contextOf, type Exchange } from '../http/exchange.js';
import { notStored, pipeReply, revalidated, sendBytes } from '../http/reply.js';
import type { Question } from '../routes/parts.js';
import type { Fills } from './fills.js';
import type { HotAnswer, HotCache } from './hot-cache.js';
import { createLru } from './lru.js';

export interface ForwarderOptions {
  readonly rpc: RpcClient;
  readonly cache: HotCache;
  readonly fills: Fills;
  /** Whether changes arrive, so that what is in memory is what there is. */
  readonly trusted: () => boolean;
}

export interface Forwarder {
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

/** Asks a service and hands its bytes on; keeps the answers of rows that say so. */
export const createForwarder = ({ rpc, cache, fills, trusted }: ForwarderOptions): Forwarder => {
  const versions = createLru<number>(versionsMax);

  const forwardPlain = async ({ contract, input, exchange }: Question): Promise<void> => {
    const reply = await rpc.forward(contract, { input, context: contextOf(exchange) });
    await pipeReply(exchange.response, reply, { headers: { 'Cache-Control': notStored } });
  };

  const fill = async (question: Question, key: string, about: { ticker: string; topics: string[] }): Promise<void> => {
    const { contract, input, exchange } = question;
    const filling = fills.begin(about.topics);
    try {
      const reply = await rpc.forward(contract, { input, context: contextOf(exchange) });
      const etag = etagOf(key, reply.meta);
      if (etag === undefined) return await pipeReply(exchange.response, reply, uncached);
      if (isKnown(exchange, etag)) return notModified(exchange.response, etag);
      const parts: Uint8Array[] = [];
      const fits = reply.totalBytes <= cache.answerBytesMax;
      const headers = headersOf(etag);
      await pipeReply(exchange.response, reply, {
        headers,
        ...(fits ? { keep: (part) => void parts.push(part) } : {}),
      });
      const current = (reply.meta.version ?? 0) >= (versions.get(about.ticker) ?? 0);
      // A concatenation is a copy: a part is a view of a larger buffer, which must not stay for its sake.
      const bytes = Buffer.concat(parts);
      if (!fits || !filling.fresh || !current || !trusted() || bytes.length !== reply.totalBytes) return;
      const freshUntilMs = (reply.meta.freshUntilUs ?? Number.POSITIVE_INFINITY) / 1_000;
      cache.keep(key, { bytes, etag, freshUntilMs, topics: about.topics });
    } finally {
      filling.end();
    }
  };

  return {
    forward: (question) => {
      const { kept, exchange } = question;
      if (kept === undefined) return forwardPlain(question);
      const { account, plan } = exchange.caller;
      const owner = kept.byAccount ? account : '';
      const key = `${question.path}\n${plan}\n${owner}\n${JSON.stringify(question.input)}`;
      const answer = trusted() ? cache.get(key) : undefined;
      if (answer !== undefined) return sendHot(exchange, answer);
      const topics = [marketTopic(kept.ticker), ...(kept.byAccount ? [accountTopic(account)] : [])];
      return fill(question, key, { ticker: kept.ticker, topics });
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

const uncached = { headers: { 'Cache-Control': notStored } };
const headersOf = (etag: string): Record<string, string> => ({ 'Cache-Control': revalidated, ETag: etag });

const sendHot = (exchange: Exchange, { etag, bytes }: HotAnswer): void => {
  if (isKnown(exchange, etag)) notModified(exchange.response, etag);
  else sendBytes(exchange.response, bytes, headersOf(etag));
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

/** What is behind the reply's first part is not asked for, so its producer forgets it. */
const notModified = (response: Response, etag: string): void => {
  response.writeHead(304, headersOf(etag)).end();
};
