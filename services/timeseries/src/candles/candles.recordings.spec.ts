import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readdir } from 'node:fs/promises';
import { it } from 'node:test';
import { promisify } from 'node:util';
import { candleFaults, type PriceRange, type RuledCandle } from './testing/candle-rules.js';

const folder = new URL('../../../../../shared/data/kalshi-candles/', import.meta.url);
const files = await readdir(folder).catch(() => []);
const archive = files.find((name) => name.endsWith('.tar.gz'));
const skip = archive === undefined ? 'there are no recorded candles in ../shared' : false;

/** A value of a dictionary in Python's notation. */
const valueIn = (text: string, name: string): number | null => {
  const found = new RegExp(`'${name}_dollars': '([\\d.]+)'`).exec(text)?.[1];
  return found === undefined ? null : Number(found);
};
const rangeIn = (text: string): PriceRange => ({
  open: valueIn(text, 'open'),
  high: valueIn(text, 'high'),
  low: valueIn(text, 'low'),
  close: valueIn(text, 'close'),
});

const candleOf = (line: string): RuledCandle => {
  const [, price = '', ask = '', bid = ''] = /"(\{.*?\})",.*?"(\{.*?\})","(\{.*?\})"/.exec(line) ?? [];
  const end = Number(line.split(',', 1)[0]);
  const volume = Number(/\}",[\d.]*,([\d.]+),"\{/.exec(line)?.[1]);
  const mean = valueIn(price, 'mean');
  return {
    start_ts: end - 60,
    end_ts: end,
    ranges: [rangeIn(bid), rangeIn(ask)],
    price: { ...rangeIn(price), mean, previous: valueIn(price, 'previous') },
    volume,
  };
};

it("Kalshi's own candles keep the rules that are required of ours", { skip }, async () => {
  const path = new URL(archive ?? '', folder).pathname;
  const { stdout } = await promisify(execFile)('tar', ['xzOf', path], { maxBuffer: 64 * 1_048_576 });
  const markets = stdout.split(/^end_period_ts,.*$/m).slice(1);
  const candles = markets.map((text) => text.trim().split('\n').filter(Boolean).map(candleOf));
  assert.ok(candles.flat().length > 18_000, `${candles.flat().length} candles were read`);
  assert.ok(candles.flat().some(({ volume }) => (volume ?? 0) > 0));
  assert.deepEqual(
    candles.flatMap((ofMarket) => candleFaults(ofMarket, 60)),
    [],
  );
});
