import { snapshotsResponse } from '@almanac/contracts';
import { z } from 'zod';
import { clickhouseRequests } from './clickhouse-request.js';
import { type Shape, tickerOf } from './data.js';
import { requestBytes, requestJson, compareHttp, getRequest, type HttpSide } from './http-side.js';
import type { BenchRow } from './row.js';
import { snapshotQuery } from './snapshot-query.js';
import type { BenchHarness } from './harness.js';

const windowS = 900;
const stepMs = 1_000;
const limit = 1_000;
/** A stride that visits every market once in a round. */
const stride = 7;

/**
 * The query with this number: the next one is for another market, and in the full size none repeats within 5 million.
 */
export const snapshotInputOf = (index: number, archive: Shape) => {
  const { marketsN, secondsN, openS } = archive;
  const startTs = openS + ((Math.floor(index / marketsN) * 11) % (secondsN - windowS));
  return { ticker: tickerOf((index * stride) % marketsN, archive), startTs, endTs: startTs + windowS, stepMs, limit };
};

const searchOf = (index: number, archive: Shape): string => {
  const { startTs, endTs } = snapshotInputOf(index, archive);
  return `?start_ts=${startTs}&end_ts=${endTs}&step_ms=${stepMs}&limit=${limit}`;
};

export const pathOf = (index: number, archive: Shape): string =>
  `/markets/${snapshotInputOf(index, archive).ticker}/snapshots${searchOf(index, archive)}`;

const gatewaySide = ({ gateway: { port, headers }, size: { archive } }: BenchHarness): HttpSide => ({
  port,
  request: (index) => getRequest(`/api/v1${pathOf(index, archive)}`, headers),
});

/** Checks the data of the row before its speed is measured. */
const checkRows = async ({ gateway: { url, headers }, size: { archive } }: BenchHarness): Promise<void> => {
  const answer = await requestJson(snapshotsResponse, url + pathOf(0, archive), { headers });
  if (answer.count !== windowS || answer.matched !== windowS) throw new Error(`a window has ${answer.count} rows`);
};

const coldOnPipe = async (harness: BenchHarness) => {
  await checkRows(harness);
  const { archive } = harness.size;
  const request = (index: number) =>
    getRequest(`/snapshots/${snapshotInputOf(index, archive).ticker}${searchOf(index, archive)}`);
  const reference = { port: harness.bare.port, request };
  return compareHttp(harness, { ours: gatewaySide(harness), reference, check: { kind: 'rows' }, distinct: 'all' });
};

const coldOnClickHouse = async (harness: BenchHarness) => {
  await checkRows(harness);
  const { clickhouse, size } = harness;
  const requestOf = await clickhouseRequests(clickhouse);
  const request = (index: number): string => requestOf(snapshotQuery(snapshotInputOf(index, size.archive)));
  const reference = { port: Number(new URL(clickhouse.url).port), request };
  return compareHttp(harness, { ours: gatewaySide(harness), reference, check: { kind: 'rows' }, distinct: 'all' });
};

const hotAnswers = 32;

const hot = async (harness: BenchHarness) => {
  await checkRows(harness);
  const { gateway, bare, size } = harness;
  for (let index = 0; index < hotAnswers; index += 1) {
    const answer = await requestBytes(gateway.url + pathOf(index, size.archive), { headers: gateway.headers });
    await bare.express.send({ kind: 'bytes', name: `hot-${index}`, bytes: answer }, z.object({}));
  }
  const reference = { port: bare.port, request: (index: number) => getRequest(`/bytes/hot-${index}`) };
  return compareHttp(harness, {
    ours: gatewaySide(harness),
    reference,
    check: { kind: 'whole' },
    distinct: hotAnswers,
  });
};

export const snapshotsRows: readonly BenchRow[] = [
  {
    name: 'snapshots, cold',
    against: 'bare pipe, same SQL',
    threshold: { atLeast: 0.85 },
    unit: 'requests/s',
    measure: coldOnPipe,
  },
  {
    name: 'snapshots, cold, from ClickHouse',
    against: 'same SQL at ClickHouse over HTTP',
    threshold: { atLeast: 0.6 },
    unit: 'requests/s',
    measure: coldOnClickHouse,
  },
  {
    name: 'snapshots, hot',
    against: 'bare express, same bytes',
    threshold: { atLeast: 0.5 },
    unit: 'requests/s',
    measure: hot,
  },
];
