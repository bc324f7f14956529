import type { Candle } from '@almanac/client/node';
import type { Paint } from '../terminal.js';
import { time } from './values.js';

/** The prices of a column of the chart. */
interface Bar {
  readonly open: number;
  readonly high: number;
  readonly low: number;
  readonly close: number;
}

type Slot = Bar | 'gap' | undefined;

const axisWidth = 9;

/** Candles of the middle between bid and ask, or of the venue's trades, in a few lines. Gaps of the recording are dots. */
export const chartOf = (
  candles: readonly Candle[],
  { width, height, paint }: { readonly width: number; readonly height: number; readonly paint: Paint },
): string[] => {
  const slots = slotsOf(candles, Math.max(1, width - axisWidth));
  const bars = slots.filter((slot): slot is Bar => typeof slot === 'object');
  const [first, last] = [candles[0], candles.at(-1)];
  if (bars.length === 0 || first === undefined || last === undefined) return ['No prices in this window.'];
  const low = Math.min(...bars.map((bar) => bar.low));
  const high = Math.max(...bars.map((bar) => bar.high));
  const step = (high - low) / height;
  const rowOf = (price: number): number => (step === 0 ? 0 : Math.min(height - 1, Math.floor((price - low) / step)));
  const rowsN = step === 0 ? 1 : height;
  const rows = Array.from({ length: rowsN }, (_, at) => rowsN - 1 - at);
  const lines = rows.map((row) => {
    const label = low + step * (row + 0.5);
    const isLabelled = row === rows[0] || row === 0 || row === Math.floor(height / 2);
    return `${(isLabelled ? label.toFixed(4) : '').padStart(axisWidth - 2)} ┤${slots.map((slot) => glyph(slot, row, { rowOf, paint })).join('')}`;
  });
  return [...lines, axis(slots.length, time(first.start_ts), time(last.end_ts))];
};

const axis = (slots: number, from: string, to: string): string => {
  const space = Math.max(2, slots - from.length - to.length);
  return `${' '.repeat(axisWidth - 1)}└${from}${' '.repeat(space)}${to}`;
};

const glyph = (
  slot: Slot,
  row: number,
  { rowOf, paint }: { readonly rowOf: (price: number) => number; readonly paint: Paint },
): string => {
  if (slot === undefined) return ' ';
  if (slot === 'gap') return row === 0 ? '·' : ' ';
  const { open, high, low, close } = slot;
  const style = close >= open ? 'green' : 'red';
  if (row >= rowOf(Math.min(open, close)) && row <= rowOf(Math.max(open, close))) {
    return paint(style, close >= open ? '█' : '▒');
  }
  return row >= rowOf(low) && row <= rowOf(high) ? paint(style, '│') : ' ';
};

/** One column for each candle, or for several neighbouring ones. */
const slotsOf = (candles: readonly Candle[], columns: number): Slot[] => {
  const perSlot = Math.max(1, Math.ceil(candles.length / columns));
  return Array.from({ length: Math.ceil(candles.length / perSlot) }, (_, at) =>
    slotOf(candles.slice(at * perSlot, (at + 1) * perSlot)),
  );
};

const slotOf = (candles: readonly Candle[]): Slot => {
  const bars = candles.flatMap((candle) => barOf(candle) ?? []);
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return candles.some(({ gap_s }) => gap_s > 0) ? 'gap' : undefined;
  return {
    open: first.open,
    close: last.close,
    high: Math.max(...bars.map(({ high }) => high)),
    low: Math.min(...bars.map(({ low }) => low)),
  };
};

/** The prices of a candle. A venue states no middle: its trades count, otherwise what its bid and ask show of it. */
export const barOf = ({ mid, price, source, yes_bid: bid, yes_ask: ask }: Candle): Bar | undefined =>
  complete(mid) ??
  (source === 'venue'
    ? (complete(price) ?? between(middleOf(bid.open, ask.open), middleOf(bid.close, ask.close)))
    : undefined);

const complete = ({ open, high, low, close }: Candle['mid']): Bar | undefined =>
  open === null || high === null || low === null || close === null ? undefined : { open, high, low, close };

const middleOf = (bid: number | null, ask: number | null): number | null =>
  bid === null || ask === null ? null : Math.round(((bid + ask) / 2) * 1e8) / 1e8;

const between = (open: number | null, close: number | null): Bar | undefined =>
  open === null || close === null
    ? undefined
    : { open, close, high: Math.max(open, close), low: Math.min(open, close) };
