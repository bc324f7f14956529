import type { z } from 'zod';
import { type Check, rateResult } from './load-job.js';
import { comparePairs, type RunSide } from './pairs.js';
import { type Measured, measuredPairs } from './row.js';
import type { BenchHarness } from './harness.js';

/** One side of an HTTP row: its port, and the bytes of its request with a given number. */
export interface HttpSide {
  readonly port: number;
  readonly request: (index: number) => string;
}

export interface HttpRow {
  readonly ours: HttpSide;
  readonly reference: HttpSide;
  readonly check: Check;
  /** The number of different requests, which repeat in turn. `all` when none may repeat. */
  readonly distinct: number | 'all';
}

const clients = 16;
/** The duration of each warm-up run but the first. */
const warmRunSeconds = 0.5;

export const getRequest = (path: string, headers: Readonly<Record<string, string>> = {}): string =>
  ['GET ' + path + ' HTTP/1.1', 'Host: 127.0.0.1', ...headerLines(headers), '', ''].join('\r\n');

export const headerLines = (headers: Readonly<Record<string, string>>): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

export const compareHttp = async ({ load, size }: BenchHarness, row: HttpRow): Promise<Measured> => {
  const { pairs, runSeconds, warmSeconds, firstCount } = size.http;
  let from = 0;
  const shoot = async (side: HttpSide, count: number, start: number) => {
    const listed = row.distinct === 'all' ? count : Math.min(row.distinct, count);
    const offset = row.distinct === 'all' ? start : 0;
    const requests = Array.from({ length: listed }, (_, index) => side.request(offset + index));
    const { seconds, digest } = await load.send(
      { kind: 'rate', port: side.port, requests, count, clients, check: row.check },
      rateResult,
    );
    return { rate: count / seconds, digest };
  };
  const warm = async (side: HttpSide): Promise<number> => {
    let count = firstCount;
    let rate = 0;
    for (const end = performance.now() + warmSeconds * 1_000; performance.now() < end; from += count) {
      if (rate > 0) count = Math.ceil(rate * Math.min(warmRunSeconds, warmSeconds));
      ({ rate } = await shoot(side, count, from));
    }
    return rate;
  };
  const rates = [await warm(row.ours), await warm(row.reference)];
  const count = Math.ceil(Math.min(...rates) * runSeconds);
  const begin = from;
  const side =
    (of: HttpSide): RunSide =>
    (round) =>
      shoot(of, count, begin + round * count);
  return measuredPairs(await comparePairs({ ours: side(row.ours), reference: side(row.reference) }, pairs));
};

/** Sends one request and parses the answer, for data that a row needs before it starts. Throws any other answer. */
export const requestJson = async <Schema extends z.ZodType>(
  schema: Schema,
  url: string,
  init: RequestInit = {},
): Promise<z.output<Schema>> => {
  const bytes = await requestBytes(url, init);
  return schema.parse(JSON.parse(bytes.toString('utf8')));
};

export const requestBytes = async (url: string, init: RequestInit = {}, timeoutMs = 20_000): Promise<Buffer> => {
  const response = await fetch(url, { ...init, signal: AbortSignal.timeout(timeoutMs) });
  const bytes = Buffer.from(await response.arrayBuffer());
  if (response.status !== 200) throw new Error(`${url} answered ${response.status}: ${bytes.toString('utf8', 0, 300)}`);
  return bytes;
};
