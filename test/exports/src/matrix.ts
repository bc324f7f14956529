import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import {
  tableFormatIds,
  type TableFormatId,
  exportFormats,
  type ExportResponse,
  exportResponse,
  type ExportStream,
} from '@almanac/contracts';
import { type ApiClient, poll } from '@almanac/test-e2e';
import type { DuckDBConnection } from '@duckdb/node-api';
import type { ExpectedTables, Target } from './expected-tables.js';
import { readByDuckDb } from './read-duckdb.js';
import { readParquet } from './read-parquet.js';
import { readCsv, readJson, readJsonLines } from './read-text.js';
import { assertSameTable, type Cell, type Table } from './table.js';

export const kinds = ['event', 'ticker', 'day'] as const;
export type TargetKind = (typeof kinds)[number];

/** Every set of books, quotes and settlements, and some with candles. Trades have their own tests. */
export const streamSets: readonly (readonly ExportStream[])[] = [
  ['snapshots'],
  ['settlement'],
  ['l2'],
  ['snapshots', 'settlement'],
  ['snapshots', 'l2'],
  ['settlement', 'l2'],
  ['snapshots', 'settlement', 'l2'],
  ['candles'],
  ['candles', 'settlement'],
  ['snapshots', 'candles'],
  ['l2', 'candles', 'settlement'],
];

export interface Case {
  readonly name: string;
  readonly format: TableFormatId;
  readonly streams: readonly ExportStream[];
  readonly kind: TargetKind;
}

/** Every combination of format, set of streams and target: 132. */
export const allCases: readonly Case[] = tableFormatIds.flatMap((format) =>
  streamSets.flatMap((streams) =>
    kinds.map((kind) => ({ name: `${format} of ${streams.join(' and ')} of one ${kind}`, format, streams, kind })),
  ),
);

/** A sixth of them: every format meets every target, and every set of streams two formats. */
export const sampleCases: readonly Case[] = allCases.filter(({ format, streams, kind }) => {
  const at = tableFormatIds.indexOf(format) + streamSets.indexOf(streams);
  return at % 2 === 0 && at % kinds.length === kinds.indexOf(kind);
});

export interface ExportFileHarness {
  readonly api: ApiClient;
  readonly expected: ExpectedTables;
  readonly targets: Readonly<Record<TargetKind, Target>>;
  readonly duckdb: DuckDBConnection;
  /** A folder for downloaded files. */
  readonly folder: string;
}

/** Repeats the request as the answer demands while a service is busy. */
export const request = async (
  { api, targets }: ExportFileHarness,
  { format, streams, kind }: Case,
): Promise<ExportResponse> => {
  const body = JSON.stringify({ ...targets[kind], format, streams });
  const headers = { 'idempotency-key': randomUUID() };
  const { status, bytes } = await poll(
    () => api.send('/exports', { method: 'POST', headers, body }),
    (answer) => answer.status !== 503,
  );
  assert.equal(status, 200, bytes.toString());
  return exportResponse.parse(JSON.parse(bytes.toString()));
};

/** Checks that the export contains what the API shows, with every reader of its format. */
export const check = async (harness: ExportFileHarness, exportCase: Case, id: string): Promise<void> => {
  const ready = await poll(
    () => harness.api.json(exportResponse, `/exports/${id}`),
    ({ status }) => status !== 'pending',
  );
  assert.equal(ready.status, 'ready', ready.error ?? '');
  const file = await download(harness.api, ready);
  const target = harness.targets[exportCase.kind];
  const shown = await harness.expected.table(target, exportCase.streams);
  assert.ok(shown.rows.length > 0, 'the API shows nothing to compare with');
  assert.equal(ready.row_count, shown.rows.length);
  assert.equal(ready.markets, await harness.expected.markets(target, exportCase.streams));
  const expected = exportCase.format === 'parquet' ? withoutNullLists(shown) : shown;
  for (const [reader, read] of Object.entries(readersOf(harness, exportCase.format, expected.columns))) {
    assertSameTable(await read(file), expected, reader);
  }
};

/** Downloads by both routes, and checks the metadata of the export. */
const download = async (api: ApiClient, ready: ExportResponse): Promise<Buffer> => {
  const { bytes, headers, status } = await api.send(`/exports/${ready.id}/file`);
  assert.equal(status, 200);
  assert.equal(headers.get('content-type'), exportFormats[ready.format].contentType);
  assert.equal(headers.get('content-encoding'), null);
  assert.equal(headers.get('content-length'), String(bytes.length));
  assert.equal(ready.bytes, bytes.length);
  assert.equal(ready.sha256, createHash('sha256').update(bytes).digest('hex'));
  assert.ok(ready.download_url);
  const linked = await fetch(ready.download_url);
  assert.equal(linked.headers.get('content-type'), exportFormats[ready.format].contentType);
  assert.ok(bytes.equals(Buffer.from(await linked.arrayBuffer())), 'the signed link leads to the same bytes');
  return bytes;
};

/** Parquet from ClickHouse has no null list: see docs/decisions/010. */
const withoutNullLists = ({ columns, rows }: Table): Table => {
  const isBook = columns.map((name) => name.startsWith('orderbook_'));
  const cell = (value: Cell, at: number): Cell => (value === null && isBook[at] === true ? [] : value);
  return { columns, rows: rows.map((row) => row.map(cell)) };
};

type Reader = (file: Buffer) => Table | Promise<Table>;

/** Third-party readers for a format. */
const readersOf = (
  { duckdb, folder }: ExportFileHarness,
  format: TableFormatId,
  columns: readonly string[],
): Readonly<Record<string, Reader>> => {
  const own: Readonly<Record<TableFormatId, Readonly<Record<string, Reader>>>> = {
    csv: { 'Papa Parse': readCsv },
    parquet: { hyparquet: readParquet },
    json: { 'JSON.parse': (file) => readJson(file, columns) },
    'jsonl.gz': { 'gunzip and JSON.parse': (file) => readJsonLines(file, columns) },
  };
  return { ...own[format], DuckDB: (file) => readByDuckDb(duckdb, file, { format, folder, columns }) };
};
