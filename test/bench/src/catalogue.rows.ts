import { marketsResponse, previewResponse } from '@almanac/contracts';
import { awaitNoReason } from './concurrent.js';
import { endS } from './catalogue-data.js';
import { tickerOf } from './data.js';
import type { BenchHarness } from './harness.js';
import { bareSide, compareCopies, compareHttp, gatewaySide, requestBytes, requestJson } from './http-side.js';
import { marketDetails } from './market-details.js';
import { type BenchEntry, type Measured, measuredAgainst } from './row.js';
import { type BenchSize, inWords } from './size.js';

/** Coprime to the number of markets, so that each comes once and neighbours are far apart. */
const stride = 40_009;

/** Each ticker is requested once. The bare server has the same bytes prepared for each. */
const detailOfAny = async (harness: BenchHarness): Promise<Measured> => {
  await harness.caughtUp();
  const answers = marketDetails(harness.size);
  await harness.bare.prepare('echo', answers);
  const tickers = [...answers.keys()];
  const tickerAt = (index: number): string => tickers[(index * stride) % tickers.length] ?? '';
  return compareHttp(harness, {
    ours: gatewaySide(harness.gateway, (index) => `/markets/${tickerAt(index)}`),
    reference: bareSide(harness, (index) => `/echo/${tickerAt(index)}`),
    check: { kind: 'whole' },
  });
};

/** The gateway keeps an answer from its second request on. The first one makes the copy. */
const detailOfKnown = async (harness: BenchHarness): Promise<Measured> => {
  const tickers = [...marketDetails(harness.size).keys()].slice(0, harness.size.details.knownN);
  return compareCopies(
    harness,
    tickers.map((ticker) => `/markets/${ticker}`),
    { via: 'bytes' },
  );
};

/** Repeats one list. It contains its own age, so it changes every second: the check looks for the common part. */
const repeatedList = async (harness: BenchHarness): Promise<Measured> => {
  const { gateway, size } = harness;
  const path = '/markets?series=KXBTCD';
  const { count } = await requestJson(marketsResponse, gateway.url + path, gateway);
  if (count < size.listedMarketsN) throw new Error(`${path} has ${count} items`);
  return compareCopies(harness, [path], { via: 'echo', check: { kind: 'text', text: `"count":${count}` } });
};

const preview = async (harness: BenchHarness): Promise<Measured> => {
  const { gateway, size } = harness;
  const path = `/markets/${tickerOf(1, size.archive)}/preview`;
  await awaitNoReason(async () => {
    const { pending } = await requestJson(previewResponse, gateway.url + path, gateway);
    return pending ? 'the preview is not ready' : undefined;
  });
  return compareCopies(harness, [path], { via: 'bytes' });
};

/** A request has this long in the catalog service. */
const deadlineMs = 5_000;
const listsAsOf = ['/markets?limit=200&', '/markets?series=KXBTCD&', '/markets?status=finalized&', '/series?'];
/** Words of most markets, of many, of some, and none, which ranks all of them. */
const searchesAsOf = ['utc', 'price', 'bitcoin+price+above', 'philadelphia', ''].map((words) => `/search?q=${words}&`);

/** Each path once, so that no answer is repeated. Such an answer reads the versions of all markets. */
const slowestAsOf = async ({ gateway: { url, headers } }: BenchHarness): Promise<Measured> => {
  /** When most markets of the generated catalogue were listed. */
  const asOf = Math.min(endS, Math.floor(Date.now() / 1_000) - 60);
  const took: { readonly path: string; readonly ms: number }[] = [];
  for (const path of [...listsAsOf, '/categories?', ...searchesAsOf]) {
    const startedAt = performance.now();
    await requestBytes(`${url}${path}as_of=${asOf}`, { headers });
    took.push({ path, ms: performance.now() - startedAt });
  }
  const notes = took.map(({ path, ms }) => `${path} ${ms.toFixed(0)} ms`);
  return measuredAgainst(Math.max(...took.map(({ ms }) => ms)), deadlineMs, ...notes);
};

const echo = { against: 'bare pipe, echo', threshold: { atLeast: 0.6 }, unit: 'requests/s' };
const bytes = { ...echo, against: 'bare express, same bytes', threshold: { atLeast: 0.5 } };

export const catalogueRows = ({ catalogue }: BenchSize): readonly BenchEntry[] => [
  {
    ...echo,
    name: `market detail, random of ${inWords(catalogue.marketsN, 'M')} tickers`,
    gain: 'A user gets any market of a large catalogue at once, also one that nobody has requested before.',
    measure: detailOfAny,
  },
  {
    ...bytes,
    name: 'market detail, asked before',
    shows: 'What the gateway costs when it has a detail in memory.',
    measure: detailOfKnown,
  },
  {
    ...echo,
    name: 'markets of a series, repeated',
    shows: 'What a repeated list of a series costs, which programs may poll.',
    measure: repeatedList,
  },
  {
    ...bytes,
    name: 'preview, ready',
    gain: 'A page that shows many markets gets their previews as fast as files.',
    measure: preview,
  },
  {
    name: 'lists and search as of a time, slowest',
    shows: 'Which list or search of the past comes nearest to its deadline.',
    against: 'their deadline',
    threshold: { below: 1 },
    unit: 'ms',
    measure: slowestAsOf,
  },
];
