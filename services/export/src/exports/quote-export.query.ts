import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { subjects } from '@almanac/bus';
import { type RpcContext } from '@almanac/bus/server';
import { bytes, type ClickHouse, orUnavailable, rows } from '@almanac/clickhouse';
import {
  commerceRpc,
  type ExportQuery,
  type ExportQuote,
  type exportRpc,
  fileState,
  type GrantQuote,
  quotedStatuses,
} from '@almanac/contracts';
import { type AccountSlots, forEachConcurrent, type ReadCaller, unixMicros } from '@almanac/runtime';
import { z } from 'zod';
import { fileKeyOf, marketVersions, showsStatus } from '../files/file-key.js';
import { clockOf, type FileQuery } from '../files/file-selection.js';
import { countSql, sampleSql } from '../files/file-sql.js';
import { fileQueryFor } from '../files/write-file.js';
import type { CreateExportDeps } from './create-export.command.js';
import { candleRemarks } from './candle-remarks.js';
import { quotedParts } from './quoted-parts.js';
import { reproduceDataset } from '../datasets/reproduce-dataset.js';
import { type ExportRequest, queryOfPart, requestOf, type ResolvedRequest, resolveRequest } from './resolve-request.js';
import { windowOf } from '../files/target.js';

export interface QuoteExportDeps extends CreateExportDeps {
  readonly clickhouse: ClickHouse;
  /** Each read of a dry run takes its turn: a request can have hundreds of parts. */
  readonly slots: AccountSlots;
}

type QuoteExportInput = z.output<typeof exportRpc.quote.input>;

const counts = z.object({ rows: z.int(), markets: z.int() });
/** A sample of this size takes a few milliseconds, and its estimate is right to within a few percent. */
const sampleRows = 2_000;

/** A dry run of `createExport`: throws for an invalid or unknown target, and returns grant and size. */
export const quoteExport = async (
  deps: QuoteExportDeps,
  input: QuoteExportInput,
  context: RpcContext,
): Promise<ExportQuote> => {
  const request = await requestOf(deps.store, input);
  const resolved = await resolveRequest(deps.rpc, request, context);
  if (request.dataset) await reproduceDataset(deps, request.dataset, resolved.tickers);
  const [quote, partSizes, size, ofCandles] = await Promise.all([
    deps.rpc.call(commerceRpc.quote, {
      input: { ...resolved.claim, use_free_credit: input.use_free_credit },
      context: context.forwardedContext,
    }),
    sizesOfParts(deps, { resolved, split: request.split }, context),
    sizeOfRequest(deps, { request, resolved }, context),
    deps.slots.run(context, () => candleRemarks(deps.clickhouse, resolved.exportQuery, context.signal)),
  ]);
  const total = size ?? totalOf(partSizes);
  const parts = quotedParts(resolved, quote, { total, partSizes });
  const remarks = [...quote.remarks, ...resolved.remarks, ...ofCandles];
  const { as_of } = resolved.exportQuery;
  return {
    dry_run: true,
    ...presentQuote(quote),
    ...total,
    remarks,
    parts,
    ...(as_of === undefined ? {} : { as_of }),
  };
};

const presentQuote = ({
  grant,
  cost,
  refusal,
}: GrantQuote): Pick<ExportQuote, 'grant' | 'cost' | 'options' | 'would'> => {
  if (refusal === null) return { grant, cost, options: [], would: null };
  const { code, detail } = refusal;
  const options = refusal.code === 'payment_required' ? refusal.options : [];
  const retry_after_s = refusal.code === 'payment_required' ? null : refusal.retry_after_s;
  return { grant, cost, options, would: { status: quotedStatuses[code], code, detail, options, retry_after_s } };
};

export type Size = Pick<ExportQuote, 'row_count' | 'bytes_estimate' | 'markets'>;

/** Null for a request whose parts are files of their own. */
const sizeOfRequest = async (
  deps: QuoteExportDeps,
  { request, resolved }: { request: ExportRequest; resolved: ResolvedRequest },
  caller: ReadCaller,
): Promise<Size | null> => {
  if (request.split) return null;
  if (request.dataset === undefined) return sizeOf(deps, resolved, caller);
  const { state, manifest } = request.dataset;
  return { row_count: manifest.row_count, bytes_estimate: state.bytes, markets: manifest.markets.length };
};

const partsAtOnce = 4;

/** The sizes of all parts in their order. The bytes of a part are estimated only if it is a file of its own. */
const sizesOfParts = async (
  deps: QuoteExportDeps,
  { resolved: { exportQuery, parts }, split }: { resolved: ResolvedRequest; split: boolean },
  caller: ReadCaller,
): Promise<Size[]> => {
  const sizes: Size[] = parts.map(() => ({ row_count: 0, bytes_estimate: 0, markets: 0 }));
  if (parts.length < 2 && !split) return sizes;
  await forEachConcurrent([...parts.entries()], partsAtOnce, async ([index, part]) => {
    if (!part.has_rows) return;
    const query = queryOfPart(exportQuery, part);
    sizes[index] = split
      ? await sizeOf(deps, { exportQuery: query, tickers: part.tickers }, caller)
      : { ...(await countOf(deps, fileOf(query, part.tickers), caller)), bytes_estimate: 0 };
  });
  return sizes;
};

const totalOf = (sizes: readonly Size[]): Size => ({
  row_count: sum(sizes.map(({ row_count }) => row_count)),
  bytes_estimate: sum(sizes.map(({ bytes_estimate }) => bytes_estimate)),
  markets: sum(sizes.map(({ markets }) => markets)),
});

const sum = (values: readonly number[]): number => values.reduce((total, value) => total + value, 0);

const sizeOf = async (
  deps: QuoteExportDeps,
  { exportQuery, tickers }: { exportQuery: ExportQuery; tickers: readonly string[] },
  caller: ReadCaller,
): Promise<Size> => {
  const nowUs = clockOf(exportQuery, unixMicros());
  const versions = await marketVersions(deps.bus, tickers, { nowUs, withStatus: showsStatus(exportQuery) });
  const known = (await deps.store.load(subjects.file(fileKeyOf(exportQuery, versions)), fileState))?.state.file;
  if (known) return { row_count: known.row_count, bytes_estimate: known.bytes, markets: known.markets };
  const fileQuery = fileOf(exportQuery, tickers);
  const counted = await countOf(deps, fileQuery, caller);
  const bytes_estimate = await estimated(deps, { fileQuery, rowCount: counted.row_count, nowUs }, caller);
  return { ...counted, bytes_estimate };
};

/** The file that a request makes: of days, it has the markets that the request finds. */
const fileOf = (exportQuery: ExportQuery, tickers: readonly string[]): FileQuery =>
  fileQueryFor(exportQuery, windowOf(exportQuery) === null ? undefined : tickers);

type ReadDeps = Pick<QuoteExportDeps, 'clickhouse' | 'slots'>;

const countOf = async (
  { clickhouse, slots }: ReadDeps,
  fileQuery: FileQuery,
  caller: ReadCaller,
): Promise<Pick<Size, 'row_count' | 'markets'>> => {
  const query = { ...countSql(fileQuery), signal: caller.signal };
  const [counted] = await slots.run(caller, () => orUnavailable(rows(clickhouse, query, counts), 'archive'));
  if (counted === undefined) throw new Error('a count has a row');
  return { row_count: counted.rows, markets: counted.markets };
};

/** Extrapolates from a sample and from the same file without rows, because a file has its header only once. */
const estimated = async (
  { clickhouse, slots }: ReadDeps,
  { fileQuery, rowCount, nowUs }: { fileQuery: FileQuery; rowCount: number; nowUs: number },
  caller: ReadCaller,
): Promise<number> => {
  const sizeOfRows = async (limit: number): Promise<number> => {
    const query = { ...sampleSql(fileQuery, nowUs, limit), signal: caller.signal };
    const sample = await slots.run(caller, () => orUnavailable(bytes(clickhouse, query), 'archive'));
    const isPacked = fileQuery.format === 'jsonl.gz' || fileQuery.format === 'hftbacktest';
    return isPacked ? (await packed(sample, { level: packedLevel })).length : sample.length;
  };
  const sampled = Math.min(rowCount, sampleRows);
  const [head, sample] = await Promise.all([sizeOfRows(0), sizeOfRows(sampleRows)]);
  return sampled === 0 ? head : Math.round(head + ((sample - head) / sampled) * rowCount);
};

const packed = promisify(gzip);
const packedLevel = 3;
