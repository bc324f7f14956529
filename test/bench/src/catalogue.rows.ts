import { setTimeout as delay } from 'node:timers/promises';
import { categoriesResponse, marketsResponse, seriesResponse } from '@almanac/contracts';
import { z } from 'zod';
import { requestBytes, requestJson, compareHttp, getRequest } from './http-side.js';
import { rateResult } from './load-job.js';
import { marketDetails } from './market-details.js';
import type { BenchRow, Measured } from './row.js';
import { type BenchSize, inWords } from './size.js';
import type { BenchHarness } from './harness.js';

/** Coprime to the number of markets, so that each comes once and neighbours are far apart. */
const stride = 40_009;
/** A new catalog copies all markets from the stream to its disk once. Until then it reads the stream. */
const copiedMsMax = 1_800_000;

let details: Map<string, Buffer> | undefined;

/** The bare server has the same bytes prepared for each ticker. */
const detailSides = async (harness: BenchHarness) => {
  const { gateway, bare, load } = harness;
  await marketsCopied(harness);
  const answers = (details ??= marketDetails(harness.size));
  await bare.handler.send({ kind: 'echo', answers }, z.object({}));
  const tickers = [...answers.keys()];
  const { port, headers } = gateway;
  const tickerAt = (index: number): string => tickers[(index * stride) % tickers.length] ?? '';
  const request = (index: number): string => getRequest(`/api/v1/markets/${tickerAt(index)}`, headers);
  const bytesOf = (index: number): Buffer => answers.get(tickerAt(index)) ?? Buffer.alloc(0);
  const requestOnce = (from: number, count: number) => {
    const requests = Array.from({ length: count }, (_, index) => request(from + index));
    return load.send({ kind: 'rate', port, requests, count, clients: 16, check: { kind: 'whole' } }, rateResult);
  };
  const echo = (index: number): string => getRequest(`/echo/${tickerAt(index)}`);
  return { requestOnce, bytesOf, ours: { port, request }, reference: { port: bare.port, request: echo } };
};

const readyAnswer = z.object({ degraded: z.record(z.string(), z.string()).optional() });

export const marketsCopied = async ({ system }: BenchHarness): Promise<void> => {
  const port = system.services.get('catalog')?.healthPort;
  const deadline = performance.now() + copiedMsMax;
  for (;;) {
    const { degraded = {} } = await requestJson(readyAnswer, `http://127.0.0.1:${port}/readyz`);
    if (degraded['markets on disk'] === undefined) return;
    if (performance.now() > deadline) throw new Error(`the markets are not on disk: ${degraded['markets on disk']}`);
    await delay(500);
  }
};

/** Each ticker is requested once. */
const detailOfAny = async (harness: BenchHarness): Promise<Measured> => {
  const { ours, reference } = await detailSides(harness);
  return compareHttp(harness, { ours, reference, check: { kind: 'whole' }, distinct: 'all' });
};

/** The gateway keeps an answer from its second request on. */
const requestsBefore = 2;

const detailOfKnown = async (harness: BenchHarness): Promise<Measured> => {
  const { bare, size } = harness;
  const { requestOnce, bytesOf, ours } = await detailSides(harness);
  const { knownN } = size.details;
  for (let time = 0; time < requestsBefore; time += 1) await requestOnce(0, knownN);
  for (let index = 0; index < knownN; index += 1)
    await bare.express.send({ kind: 'bytes', name: `detail-${index}`, bytes: bytesOf(index) }, z.object({}));
  const request = (index: number): string => getRequest(`/bytes/detail-${index % knownN}`);
  return compareHttp(harness, {
    ours: { port: ours.port, request: (index) => ours.request(index % knownN) },
    reference: { port: bare.port, request },
    check: { kind: 'whole' },
    distinct: 'all',
  });
};

interface Listing {
  readonly path: string;
  readonly schema: z.ZodType<{ readonly count: number }>;
  readonly countMin: number;
}

/**
 * Repeats one query. The answer contains its own age, so it changes every second: the check looks for the common part.
 */
const repeated =
  ({ path, schema, countMin }: Listing) =>
  async (harness: BenchHarness): Promise<Measured> => {
    const { gateway, bare } = harness;
    const bytes = await requestBytes(gateway.url + path, { headers: gateway.headers });
    const { count } = schema.parse(JSON.parse(bytes.toString('utf8')));
    if (count < countMin) throw new Error(`${path} has ${count} items`);
    await bare.handler.send({ kind: 'echo', answers: new Map([[path, bytes]]) }, z.object({}));
    return compareHttp(harness, {
      ours: { port: gateway.port, request: () => getRequest(`/api/v1${path}`, gateway.headers) },
      reference: { port: bare.port, request: () => getRequest(`/echo/${encodeURIComponent(path)}`) },
      check: { kind: 'text', text: `"count":${count}` },
      distinct: 1,
    });
  };

const row = { against: 'bare pipe, echo', threshold: { atLeast: 0.6 }, unit: 'requests/s' };

export const catalogueRows = ({ catalogue, listedMarketsN }: BenchSize): readonly BenchRow[] => [
  { ...row, name: `market detail, random of ${inWords(catalogue.marketsN, 'M')} tickers`, measure: detailOfAny },
  {
    ...row,
    name: 'market detail, asked before',
    against: 'bare express, same bytes',
    threshold: { atLeast: 0.5 },
    measure: detailOfKnown,
  },
  {
    ...row,
    name: 'categories',
    measure: repeated({ path: '/categories', schema: categoriesResponse, countMin: 8 }),
  },
  { ...row, name: 'series', measure: repeated({ path: '/series', schema: seriesResponse, countMin: 80 }) },
  {
    ...row,
    name: 'markets of a series, repeated',
    measure: repeated({ path: '/markets?series=KXBTCD', schema: marketsResponse, countMin: listedMarketsN }),
  },
];
