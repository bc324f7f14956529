import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { appendFile, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type Bus, connectBus } from '@almanac/bus';
import { Rpc, type RpcContext, serveControllers } from '@almanac/bus/server';
import { type ClickHouse, connectClickHouse, insertBytes, migrate, rows } from '@almanac/clickhouse';
import {
  bookColumns,
  catalogRpc,
  observationColumns,
  sizeColumns,
  timeseriesRpc,
  tradeColumns,
} from '@almanac/contracts';
import { smallRecordings, writeRecordings } from '@almanac/test-fixtures';
import { testClickHouse, type TestClickHouse, testNats, type TestServer } from '@almanac/testing';
import { Controller } from '@nestjs/common';
import { z } from 'zod';

let nats: TestServer;
let clickhouseServer: TestClickHouse;
let clickhouse: ClickHouse;
let server: Bus;
let calls: { stop(): Promise<void> };

/** The receiving side, with the real table behind it. */
@Controller()
class Receiver {
  @Rpc(timeseriesRpc.store)
  async store({ columns, markets }: z.output<typeof timeseriesRpc.store.input>, { body }: RpcContext) {
    const given = {
      top: observationColumns,
      top_sizes: [...observationColumns, ...sizeColumns],
      l2: [...observationColumns, ...bookColumns],
      trades: tradeColumns,
    }[columns];
    if (markets.length > 0)
      await insertBytes(clickhouse, {
        table: columns === 'trades' ? 'trades' : 'snapshots',
        columns: given,
        format: 'TabSeparated',
        body: Buffer.from(body),
      });
    return { rows: markets.reduce((sum, market) => sum + market.rows, 0) };
  }

  @Rpc(catalogRpc.record)
  record({ facts }: z.output<typeof catalogRpc.record.input>) {
    return { outcomes: facts.map(() => ({ outcome: 'created' })), last_seq: 1 };
  }

  @Rpc(catalogRpc.awaitReadable)
  awaitReadable({ seq }: z.output<typeof catalogRpc.awaitReadable.input>) {
    return { seq };
  }
}

before(async () => {
  [nats, clickhouseServer] = await Promise.all([testNats(), testClickHouse()]);
  const { url, username, password } = clickhouseServer;
  clickhouse = connectClickHouse({ url, username, password });
  await migrate(clickhouse);
  server = await connectBus({ url: nats.url, user: 'timeseries' });
  calls = await serveControllers(
    server,
    { controllers: [Receiver] },
    { error: () => undefined, warn: () => undefined, debug: () => undefined },
  );
  await writeFile(join(nats.dir, 'ingest.env'), `NATS_URL=${nats.url}\n`);
});

after(async () => {
  await calls.stop();
  await server.close();
  await clickhouse.close();
  await Promise.all([nats.stop(), clickhouseServer.stop()]);
});

const runCommand = async (given: readonly string[]) => {
  const main = fileURLToPath(new URL('main.js', import.meta.url));
  const child = spawn(process.execPath, [main, ...given], { env: { ...process.env, ALMANAC_HOME: nats.dir } });
  const [out, err] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'exit')]);
  return { out, err, code: child.exitCode };
};

const readableRows = async (): Promise<number> => {
  const sql = 'SELECT count() AS n FROM snapshots FINAL';
  const settings = { output_format_json_quote_64bit_integers: 0 } as const;
  const [found] = await rows(clickhouse, { sql, settings }, z.object({ n: z.int() }));
  return found?.n ?? 0;
};

const counts = z.object({
  read: z.int(),
  stored: z.int(),
  replaced_equal: z.int(),
  replaced_different: z.int(),
  refused: z.int(),
  not_stored: z.int(),
});
const summary = z.object({
  dry_run: z.boolean(),
  files: z.array(z.object({ file: z.string(), observations: counts, error: z.string().nullable() })),
  total: z.object({ observations: counts }),
});

test('--json adds up by file and in total, and what it calls stored can be read', async () => {
  const folder = join(nats.dir, 'recordings');
  const { kalshi15m } = await writeRecordings(folder, smallRecordings);
  const quotes = await readFile(kalshi15m.quotesPath, 'utf8');
  const lines = quotes.split('\n').slice(0, -1);
  // Rows that come again, late, in the same file and in another one, and one with other values.
  await appendFile(kalshi15m.quotesPath, `${lines.slice(10, 20).join('\n')}\n`);
  const [header = '', ...data] = lines;
  const at = header.split(',').indexOf('btc_yes_bid');
  const changed = data.slice(30, 35).map((line) => line.split(',').with(at, '1').join(','));
  await writeFile(join(folder, 'kalshi-15m', 'quotes_again.csv'), `${[header, ...changed].join('\n')}\n`);

  const dry = summary.parse(JSON.parse((await runCommand(['--json', '--dry-run', folder])).out));
  assert.deepEqual([dry.dry_run, await readableRows()], [true, 0]);
  const { out, code } = await runCommand(['--json', folder]);
  assert.equal(code, 0);
  const { files, total } = summary.parse(JSON.parse(out));
  assert.deepEqual(total, dry.total, 'a dry run counts the same');
  for (const { observations } of [...files, total]) {
    const { read, ...parts } = observations;
    assert.equal(
      read,
      Object.values(parts).reduce((sum, one) => sum + one, 0),
    );
  }
  assert.equal(total.observations.stored, await readableRows());
  const { replaced_equal: equal, replaced_different: different } = total.observations;
  assert.ok(equal >= 40 && different > 0 && equal + different >= 60, `${equal} equal, ${different} different`);

  const again = summary.parse(JSON.parse((await runCommand(['--json', folder])).out));
  assert.deepEqual(again.total, total);
  assert.equal(total.observations.stored, await readableRows(), 'a second import adds no row');
});

const mapping = `
name: quotes
format: csv
match: { columns: [id, at] }
fields:
  ticker: { column: id }
  ts: { column: at, unit: s }
  yes_best_bid: { column: bid }
`;

test('--mapping names the files that it describes, and --exact refuses what would be rounded', async () => {
  const folder = join(nats.dir, 'mapped');
  await writeRecordings(folder, smallRecordings);
  const quotes = join(folder, 'quotes.csv');
  await writeFile(quotes, 'id,at,bid\nA-1,1771993365,0.5\nA-1,1771993366,0.1234567\n');
  const path = join(nats.dir, 'quotes.yaml');
  await writeFile(path, mapping);
  const { out, code } = await runCommand([folder, '--mapping', path, '--exact', '--dry-run']);
  assert.equal(code, 0);
  assert.match(out, /passed over: the mapping quotes needs the missing columns id, at\./);
  assert.match(out, /1 {2}yes_best_bid: would be rounded to 6 decimals \(--exact\)/);
  assert.match(out, /The mapping quotes describes 1 of \d+ files: .*quotes\.csv\n/);
  assert.match(out, /All observations read 2: to store 1, replaced 0, refused 1 \(dry run\)\n/);
  const none = await runCommand([join(folder, 'kalshi-catalog'), '--mapping', path, '--dry-run']);
  assert.deepEqual([none.code, none.err], [1, 'The mapping describes none of the files, so nothing was imported.\n']);
});
