import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { type RpcContext, subjects } from '@almanac/bus';
import { bytes, type ClickHouse, rows } from '@almanac/clickhouse';
import {
  catalogRpc,
  commerceRpc,
  type ExportQuery,
  type ExportQuote,
  type exportRpc,
  fileState,
  type GrantQuote,
  quotedStatuses,
} from '@almanac/contracts';
import { z } from 'zod';
import { fileKeyOf, marketVersions } from '../files/file-key.js';
import { countSql, sampleSql } from '../files/file-sql.js';
import { mapClickHouseError } from './clickhouse-errors.js';
import type { CreateExportDeps } from './create-export.js';
import { targetOf } from './target.js';

export interface QuoteExportDeps extends CreateExportDeps {
  readonly clickhouse: ClickHouse;
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
  const { rpc } = deps;
  const target = targetOf(input);
  const streams = [...new Set(input.streams)];
  const { events, tickers, ...resolved } = await rpc.call(catalogRpc.exportTarget, {
    input: target,
    context: context.forwardedContext,
  });
  const exportQuery: ExportQuery = { ...resolved, streams, format: input.format, numbers: input.numbers };
  const claim = { events, day_pack: target.day !== null, l2: streams.includes('l2') };
  const [quote, size] = await Promise.all([
    rpc.call(commerceRpc.quote, { input: claim, context: context.forwardedContext }),
    sizeOf(deps, { exportQuery, tickers }, context.signal),
  ]);
  return { dry_run: true, ...presentQuote(quote), ...size };
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

type Size = Pick<ExportQuote, 'row_count' | 'bytes_estimate' | 'markets'>;

const sizeOf = async (
  { bus, store, clickhouse }: QuoteExportDeps,
  { exportQuery, tickers }: { exportQuery: ExportQuery; tickers: readonly string[] },
  signal: AbortSignal,
): Promise<Size> => {
  const nowUs = Date.now() * 1_000;
  const versions = await marketVersions(bus, tickers, {
    nowUs,
    withStatus: exportQuery.streams.includes('settlement'),
  });
  const known = (await store.load(subjects.file(fileKeyOf(exportQuery, versions)), fileState))?.state.file;
  if (known) return { row_count: known.row_count, bytes_estimate: known.bytes, markets: known.markets };
  const [counted] = await mapClickHouseError(rows(clickhouse, { ...countSql(exportQuery), signal }, counts));
  if (counted === undefined) throw new Error('a count has a row');
  const bytes_estimate = await estimated(clickhouse, { exportQuery, rowCount: counted.rows, nowUs }, signal);
  return { row_count: counted.rows, bytes_estimate, markets: counted.markets };
};

/** Extrapolates from a sample and from the same file without rows, because a file has its header only once. */
const estimated = async (
  clickhouse: ClickHouse,
  { exportQuery, rowCount, nowUs }: { exportQuery: ExportQuery; rowCount: number; nowUs: number },
  signal: AbortSignal,
): Promise<number> => {
  const sizeOfRows = async (limit: number): Promise<number> => {
    const sample = await mapClickHouseError(bytes(clickhouse, { ...sampleSql(exportQuery, nowUs, limit), signal }));
    return exportQuery.format === 'jsonl.gz' ? (await packed(sample, { level: gzipLevel })).length : sample.length;
  };
  const sampled = Math.min(rowCount, sampleRows);
  const [head, sample] = await Promise.all([sizeOfRows(0), sizeOfRows(sampleRows)]);
  return sampled === 0 ? head : Math.round(head + ((sample - head) / sampled) * rowCount);
};

const packed = promisify(gzip);
const gzipLevel = 3;
