import type { z } from 'zod';
import type { BenchHarness, Edge } from './harness.js';
import { type Check, rateResult } from './load-job.js';
import { comparePairs, type RunSide } from './pairs.js';
import type { Measured } from './row.js';

/** One side of an HTTP row: its port, and the bytes of its request with a given number. */
export interface HttpSide {
  readonly port: number;
  readonly request: (index: number) => string;
}

export interface HttpRow {
  readonly ours: HttpSide;
  readonly reference: HttpSide;
  readonly check: Check;
  /** The number of different requests, which repeat in turn. By default, none repeats. */
  readonly distinct?: number;
  /** The numbers of requests, where few different ones exist. By default, they follow from the speed of both sides. */
  readonly counts?: { readonly warmN: number; readonly runN: number; readonly pairs: number };
}

type Headers = Readonly<Record<string, string>>;

const clients = 16;
/** The duration of each warm-up run but the first. */
const warmRunSeconds = 0.5;

export const headerLines = (headers: Headers): string[] =>
  Object.entries(headers).map(([name, value]) => `${name}: ${value}`);

export const getRequest = (path: string, headers: Headers = {}): string =>
  ['GET ' + path + ' HTTP/1.1', 'Host: 127.0.0.1', ...headerLines(headers), '', ''].join('\r\n');

/** Our side of reads at these paths of the API. */
export const gatewaySide = (
  { port, headers }: Edge,
  pathOf: (index: number) => string,
  moreHeaders: Headers = {},
): HttpSide => ({
  port,
  request: (index) => getRequest(`/api/v1${pathOf(index)}`, { ...headers, ...moreHeaders }),
});

export const bareSide = ({ bare: { port } }: BenchHarness, pathOf: (index: number) => string): HttpSide => ({
  port,
  request: (index) => getRequest(pathOf(index)),
});

/** Reads of these paths, compared with the bare server, which has the same answers ready: in express or behind NATS. */
export const compareCopies = async (
  harness: BenchHarness,
  paths: readonly string[],
  { via, check = { kind: 'whole' } }: { via: 'bytes' | 'echo'; check?: Check },
): Promise<Measured> => {
  const { gateway, bare } = harness;
  const answers = new Map<string, Buffer>();
  for (const [index, path] of paths.entries()) {
    answers.set(`copy-${index}`, await requestBytes(gateway.url + path, gateway));
  }
  await bare.prepare(via, answers);
  return compareHttp(harness, {
    ours: gatewaySide(gateway, (index) => paths[index % paths.length] ?? ''),
    reference: bareSide(harness, (index) => `/${via}/copy-${index % paths.length}`),
    check,
    distinct: paths.length,
  });
};

export const compareHttp = async ({ load, size }: BenchHarness, row: HttpRow): Promise<Measured> => {
  const { pairs, runSeconds, warmSeconds, firstCount } = size.http;
  let from = 0;
  const shoot = async (side: HttpSide, count: number, start: number) => {
    const listed = Math.min(row.distinct ?? count, count);
    const offset = row.distinct === undefined ? start : 0;
    const requests = Array.from({ length: listed }, (_, index) => side.request(offset + index));
    const job = { kind: 'rate', port: side.port, requests, count, clients, check: row.check };
    const { seconds, digest } = await load.send(job, rateResult);
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
  const side =
    (of: HttpSide, count: number, begin: number): RunSide =>
    (round) =>
      shoot(of, count, begin + round * count);
  const compare = (count: number, begin: number, rounds: number) =>
    comparePairs({ ours: side(row.ours, count, begin), reference: side(row.reference, count, begin) }, rounds);
  if (row.counts !== undefined) {
    const { warmN, runN, pairs: rounds } = row.counts;
    await compare(warmN, 0, 1);
    return compare(runN, warmN, rounds);
  }
  const rates = [await warm(row.ours), await warm(row.reference)];
  return compare(Math.ceil(Math.min(...rates) * runSeconds), from, pairs);
};

/** Sends one request and parses the answer. Throws any other answer. */
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
