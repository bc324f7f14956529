import type { RpcClient } from '@almanac/bus';
import { LRUCache } from 'lru-cache';
import { clientGone } from '../http/client-gone.js';
import type { Exchange } from '../http/exchange.js';
import type { Form } from '../http/wishes.js';
import type { Question } from '../routes/parts.js';
import { createAsked } from './asked.js';
import { ask, filling, type FillingOptions } from './filling.js';
import { toldOf } from './hot-answer.js';
import { textBytes } from './hot-cache.js';
import type { CacheMetrics } from './metrics.js';
import { type Answering, sendReply, serving } from './serving.js';

export interface Forwarder {
  /** Answers from memory what was asked in the very same words before; undefined when it cannot. */
  recall(path: string, exchange: Exchange, form: Form | undefined): Answering | undefined;
  forward(question: Question): Answering;
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
/** Memory for the meaning of addresses. */
const addressBytesMax = 8 * 1_048_576;
/** What an entry takes beside its texts. */
const addressOverheadBytes = 200;
const addressLengthMax = 512;

/** Asks a service and hands its bytes on; keeps the answers of rows that say so. */
export const createForwarder = (options: FillingOptions & { readonly metrics: CacheMetrics }): Forwarder => {
  const { rpc, cache, fills, trusted, metrics } = options;
  const versions = new LRUCache<string, number>({ max: versionsMax });
  // From an address as it was written, with who wrote it, to the key of its answer: validating it again and writing it
  // in its one normal form would take longer than all the rest of a hot answer.
  const keys = new LRUCache<string, string>({
    maxSize: addressBytesMax,
    sizeCalculation: (key, address) => textBytes(address) + textBytes(key) + addressOverheadBytes,
  });
  const asked = createAsked();
  const serve = serving(cache);
  const fill = filling(options, { versions, asked, serve });

  return {
    recall: (path, exchange, form) => {
      const key = keys.get(addressOf(exchange, form));
      const answering = key !== undefined && trusted() ? serve.known(exchange, key) : undefined;
      if (answering !== undefined) metrics.hit(path);
      return answering;
    },
    forward: (question) => {
      const { kept, exchange, form } = question;
      if (kept === undefined) return forwardPlain(rpc, question);
      const { account, plan } = exchange.caller;
      const owner = kept.byAccount ? account : '';
      const key = `${question.path}\n${plan}\n${owner}\n${JSON.stringify(question.input)}`;
      const answering = trusted() ? serve.known(exchange, key) : undefined;
      if (answering !== undefined) {
        // Only now: most addresses come once, and to remember each would fill the memory with them.
        metrics.hit(question.path);
        if (exchange.request.url.length <= addressLengthMax) keys.set(addressOf(exchange, form), key);
        return answering;
      }
      const topics = [marketTopic(kept.ticker), ...(kept.byAccount ? [accountTopic(account)] : [])];
      metrics.miss(question.path);
      asked.note(key);
      return fill(question, { key, ticker: kept.ticker, topics });
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

const addressOf = ({ request, caller }: Exchange, form: Form | undefined): string =>
  `${caller.plan}\n${caller.account}\n${form?.id ?? ''}\n${request.url}`;

/** A query stops when its client goes away; a command goes on. Only what is read gets packed. */
const forwardPlain = async (rpc: RpcClient, question: Question): Promise<void> => {
  const { contract, exchange } = question;
  const reply = await ask(rpc, question, contract.kind === 'query' ? clientGone(exchange.response) : undefined);
  const { method } = exchange.request;
  await sendReply(exchange, reply, toldOf(reply.meta, question.form, undefined), {
    mayPack: method === 'GET' || method === 'HEAD',
  });
};
