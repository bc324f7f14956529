import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { rows } from '@almanac/clickhouse';
import { z } from 'zod';
import { comparePairs, type RunSide } from './pairs.js';
import { rowsIn, spanOf, writeRecording } from './recording.js';
import { type BenchRow, type Measured, measuredPairs } from './row.js';
import { type BenchSize, inWords } from './size.js';
import { tickersOf, writeTradeRecording } from './trade-recording.js';
import { startWorker } from './worker.js';
import type { BenchHarness } from './harness.js';

const done = z.object({ seconds: z.number() });
const counted = z.object({ n: z.int() });

/** The recordings of quotes have other markets and times than those of the row of imports. */
const quotesFrom = 100;
/** Recordings with neighbouring numbers begin two days apart, with a line every 2 s. */
const linesApart = 86_400;

const tradeRate = async (harness: BenchHarness): Promise<Measured> => {
  const { system, admin, home, size } = harness;
  const refusedFolder = join(home, 'refused');
  const { pairs, tradesN } = size.trades;
  const linesN = Math.ceil(tradesN / rowsIn({ linesN: 1 }));
  const bus = { natsUrl: system.infrastructure.natsUrl, password: system.secrets.nats.ingest };
  const importing = startWorker('import-almanac');
  const [tradeFile, quoteFile] = [join(home, 'trades.jsonl'), join(home, 'quotes.csv')];
  const rate = async (file: string, count: number, stored: { sql: string; params?: object }): Promise<number> => {
    const { seconds } = await importing.send({ file, refusedFolder, ...bus }, done);
    const [found] = await rows(
      admin,
      { sql: stored.sql, params: { ...stored.params }, settings: { output_format_json_quote_64bit_integers: 0 } },
      counted,
    );
    if (found?.n !== count) throw new Error(`${found?.n ?? 0} of ${count} rows of a recording can be queried`);
    return count / seconds;
  };
  const ours: RunSide = async (number) => {
    const recording = { number, tradesN };
    await writeTradeRecording(tradeFile, recording);
    const sql = 'SELECT count() AS n FROM trades FINAL WHERE ticker IN {tickers:Array(String)}';
    return { rate: await rate(tradeFile, tradesN, { sql, params: { tickers: tickersOf(recording) } }), digest: 0 };
  };
  const reference: RunSide = async (number) => {
    const recording = { number: quotesFrom + number * Math.ceil(linesN / linesApart), linesN };
    await writeRecording(quoteFile, recording);
    const { startS, endS } = spanOf(recording);
    const sql = `SELECT count() AS n FROM snapshots FINAL WHERE ts >= fromUnixTimestamp(${startS}) AND ts < fromUnixTimestamp(${endS})`;
    return { rate: await rate(quoteFile, rowsIn(recording), { sql }), digest: 0 };
  };
  try {
    const compared = await comparePairs({ ours, reference }, pairs);
    return measuredPairs(compared);
  } finally {
    await importing.stop();
    await Promise.all([tradeFile, quoteFile].map((file) => rm(file, { force: true })));
  }
};

export const tradeRows = ({ trades }: BenchSize): readonly BenchRow[] => [
  {
    name: `import of ${inWords(trades.tradesN)} trades, to queryable`,
    against: 'the import of as many quotes',
    threshold: { atLeast: 0.6 },
    unit: 'rows/s',
    measure: tradeRate,
  },
];
