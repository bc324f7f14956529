import { categoriesResponse, marketsResponse, seriesResponse } from '@almanac/contracts';
import { z } from 'zod';
import { askBytes, compareHttp, getRequest } from './http-side.js';
import { rateResult } from './load-job.js';
import { marketDetails } from './market-details.js';
import type { BenchRow, Measured } from './row.js';
import type { World } from './world.js';

/** So many of the markets are asked for, each once: one in 29 of all, so that no memory of a service can have them. */
const detailEvery = 29;
/** Has no divisor with any number of them in common, so that each comes once, and none beside the one before. */
const stride = 40_009;
/**
 * Others that are asked before. A server that has just started reads 8 MB for the first market of each block of its
 * stream, which takes many seconds for 2 M markets and is no measure of what follows.
 */
const firstN = 2_000;

/** Both sides send the same bytes for a ticker; ours go from the stream through the catalog, theirs lie ready. */
const marketDetail = async ({ gateway, bare, load }: World): Promise<Measured> => {
  const details = marketDetails(detailEvery);
  await bare.handler.ask({ kind: 'echo', answers: details }, z.object({}));
  const tickers = [...details.keys()];
  const tickerAt = (index: number): string => tickers[(index * stride) % tickers.length] ?? '';
  const { port, headers } = gateway;
  const request = (index: number): string => getRequest(`/api/v1/markets/${tickerAt(index)}`, headers);
  // The last ones, which a run does not get to.
  const requests = Array.from({ length: firstN }, (_, index) => request(tickers.length - 1 - index));
  await load.ask({ kind: 'rate', port, requests, count: firstN, clients: 16, check: { kind: 'whole' } }, rateResult);
  return compareHttp(load, {
    ours: { port, request },
    reference: { port: bare.port, request: (index) => getRequest(`/echo/${tickerAt(index)}`) },
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
 * A question that is asked again and again. Its answer says how old it is, so another one comes every second: what all
 * have in common is looked for.
 */
const repeated =
  ({ path, schema, countMin }: Listing) =>
  async ({ gateway, bare, load }: World): Promise<Measured> => {
    const bytes = await askBytes(gateway.url + path, { headers: gateway.headers });
    const { count } = schema.parse(JSON.parse(bytes.toString('utf8')));
    if (count < countMin) throw new Error(`${path} has ${count} items`);
    await bare.handler.ask({ kind: 'echo', answers: new Map([[path, bytes]]) }, z.object({}));
    return compareHttp(load, {
      ours: { port: gateway.port, request: () => getRequest(`/api/v1${path}`, gateway.headers) },
      reference: { port: bare.port, request: () => getRequest(`/echo/${encodeURIComponent(path)}`) },
      check: { kind: 'text', text: `"count":${count}` },
      distinct: 1,
    });
  };

const row = { against: 'bare pipe, echo', owed: { atLeast: 0.6 }, unit: 'requests/s' };

export const catalogueRows: readonly BenchRow[] = [
  { ...row, name: 'market detail, random of 2 M tickers', measure: marketDetail },
  {
    ...row,
    name: 'categories',
    measure: repeated({ path: '/categories', schema: categoriesResponse, countMin: 8 }),
  },
  { ...row, name: 'series', measure: repeated({ path: '/series', schema: seriesResponse, countMin: 80 }) },
  {
    ...row,
    name: 'markets of a series, repeated',
    measure: repeated({ path: '/markets?series=KXBTCD', schema: marketsResponse, countMin: 50 }),
  },
];
