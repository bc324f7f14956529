import { dirtyCells } from './dirty-quotes.js';
import { type DirtyHourRow, marketOf } from './hours.js';

const columns = 'received sent token kind book price size side top'.split(' ');
const markets = 4;
const startMs = Date.UTC(2026, 7, 10, 12);

/** An hour of books in the order of the archive, with every kind of dirt. */
export const dirtyHour = (seed: number, { rows: count = 120, rarely = 4 } = {}): readonly DirtyHourRow[] => {
  const { below, pick, beginRow, dirty } = dirtyCells(seed, { columns: columns.length, rarely });
  const rows: DirtyHourRow[] = [];
  const levels = (isBid: boolean): string =>
    JSON.stringify(Array.from({ length: below(3) * below(5) }, (_, at) => [priceAt(at, isBid), `${1 + below(500)}.5`]));
  for (let index = 0; index < markets; index += 1) {
    const { condition, yes, no } = marketOf(index);
    for (const token of [yes, no]) {
      let ms = startMs + below(2_000);
      for (let row = 0; row < count; row += 1) {
        beginRow();
        ms += below(3) === 0 ? 0 : below(900);
        const received = timeOf(
          dirty(String(ms), ['', String(ms - 2_000), String(ms - 90_000), '5', String(ms + 30_000)]),
        );
        const sent = timeOf(dirty(String(ms), ['', '7', String(ms - 4_000)]));
        const place = {
          received,
          sent,
          market: condition,
          token: dirty(token, ['', '77', condition, marketOf(index + 1).yes]),
        };
        const isBook = row === below(3) || below(40) === 0;
        const kind = dirty(isBook ? 'book' : 'price_change', kinds);
        const isBid = below(2) === 0;
        const book = isBook || kind === 'book';
        rows.push({
          ...place,
          kind: kind === '' ? null : kind,
          ...(book && { bids: dirty(levels(true), books), asks: levels(false) }),
          ...(!book && {
            price: dirty(priceAt(below(14), isBid), ['0', '1', '1.5', '0.0001', '-0.1']),
            size: dirty(String(below(3) === 0 ? 0 : below(90_000) / 4), ['-1', '0.000001', '123456789012.5']),
            side: dirty(isBid ? 'BUY' : 'SELL', ['buy', '', 'BUY ']),
            ...(below(5) > 0 && topOf(dirty(pick(tops), ['0 1', '0.5', '1.5 -1', '0.01 0.99']))),
          }),
          ...(kind === 'tick_size_change' && { newTick: '0.001' }),
        });
      }
    }
  }
  return rows;
};

/** Bids fall from 0.49, asks rise from 0.51. */
const priceAt = (level: number, isBid: boolean): string => (isBid ? 0.49 - level / 100 : 0.51 + level / 100).toFixed(2);

const timeOf = (text: string): number | null => (text === '' ? null : Number(text));

const topOf = (text: string): Pick<DirtyHourRow, 'bestBid' | 'bestAsk'> => {
  const [bestBid, bestAsk] = text.split(' ');
  return { ...(bestBid !== undefined && { bestBid }), ...(bestAsk !== undefined && { bestAsk }) };
};

/** Many contradict the book, which ends its span. */
const tops = ['0.49 0.51', '0.49 0.51', '0.48 0.51', '0.49 0.52', '0 0.51', '0.49 1', '0 1', '0.49'] as const;
const kinds = ['', 'last_trade_price', 'tick_size_change', 'book', 'price_change', 'unheard_of'];
const books = [
  '',
  'null',
  '{}',
  '[["0.4","1"],["0.4","2"]]',
  '[["1","1"]]',
  '[["0.4","x"]]',
  '[["0.4"]]',
  '[[0.4,1]]',
  '[["0.40000001","1"]]',
];
