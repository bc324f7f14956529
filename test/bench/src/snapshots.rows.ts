import { snapshotsResponse } from '@almanac/contracts';
import { z } from 'zod';
import { clickhouseRequests } from './clickhouse-request.js';
import { marketsN, openS, secondsN, tickerOf } from './data.js';
import { askBytes, askJson, compareHttp, getRequest, type HttpSide } from './http-side.js';
import type { BenchRow } from './row.js';
import { snapshotQuery } from './snapshot-query.js';
import type { Edge, World } from './world.js';

const windowS = 900;
const stepMs = 1_000;
const limit = 1_000;
/** A stride that meets every market once in a round. */
const stride = 7;

/** The question of this number: the next one is about another market, and none comes twice in 5 million. */
const questionOf = (index: number) => {
  const startTs = openS + ((Math.floor(index / marketsN) * 11) % (secondsN - windowS));
  return { ticker: tickerOf((index * stride) % marketsN), startTs, endTs: startTs + windowS, stepMs, limit };
};

const searchOf = (index: number): string => {
  const { startTs, endTs } = questionOf(index);
  return `?start_ts=${startTs}&end_ts=${endTs}&step_ms=${stepMs}&limit=${limit}`;
};

const pathOf = (index: number): string => `/markets/${questionOf(index).ticker}/snapshots${searchOf(index)}`;

const gatewaySide = ({ port, headers }: Edge): HttpSide => ({
  port,
  request: (index) => getRequest(`/api/v1${pathOf(index)}`, headers),
});

/** The data must be what the row says it is, before its speed is told. */
const checkRows = async ({ url, headers }: Edge): Promise<void> => {
  const answer = await askJson(snapshotsResponse, url + pathOf(0), { headers });
  if (answer.count !== windowS || answer.matched !== windowS) throw new Error(`a window has ${answer.count} rows`);
};

const coldOnPipe = async ({ gateway, bare, load }: World) => {
  await checkRows(gateway);
  const request = (index: number) => getRequest(`/snapshots/${questionOf(index).ticker}${searchOf(index)}`);
  const reference = { port: bare.port, request };
  return compareHttp(load, { ours: gatewaySide(gateway), reference, check: { kind: 'rows' }, distinct: 'all' });
};

const coldOnClickHouse = async ({ gateway, clickhouse, load }: World) => {
  await checkRows(gateway);
  const asked = await clickhouseRequests(clickhouse);
  const request = (index: number): string => asked(snapshotQuery(questionOf(index)));
  const reference = { port: Number(new URL(clickhouse.url).port), request };
  return compareHttp(load, { ours: gatewaySide(gateway), reference, check: { kind: 'rows' }, distinct: 'all' });
};

const hotAnswers = 32;

const hot = async ({ gateway, bare, load }: World) => {
  await checkRows(gateway);
  for (let index = 0; index < hotAnswers; index += 1) {
    const answer = await askBytes(gateway.url + pathOf(index), { headers: gateway.headers });
    await bare.express.ask({ kind: 'bytes', name: `hot-${index}`, bytes: answer }, z.object({}));
  }
  const reference = { port: bare.port, request: (index: number) => getRequest(`/bytes/hot-${index}`) };
  return compareHttp(load, {
    ours: gatewaySide(gateway),
    reference,
    check: { kind: 'whole' },
    distinct: hotAnswers,
  });
};

export const snapshotsRows: readonly BenchRow[] = [
  {
    name: 'snapshots, cold',
    against: 'bare pipe, same SQL',
    owed: { atLeast: 0.85 },
    unit: 'requests/s',
    measure: coldOnPipe,
  },
  {
    name: 'snapshots, cold, from ClickHouse',
    against: 'same SQL at ClickHouse over HTTP',
    owed: { atLeast: 0.6 },
    unit: 'requests/s',
    measure: coldOnClickHouse,
  },
  {
    name: 'snapshots, hot',
    against: 'bare express, same bytes',
    owed: { atLeast: 0.5 },
    unit: 'requests/s',
    measure: hot,
  },
];
