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

/** Candles of the middle between bid and ask, in a few lines. Gaps of the recording are dots. */
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
  const bars = candles.flatMap(({ mid: { open, high, low, close } }) =>
    open === null || high === null || low === null || close === null ? [] : [{ open, high, low, close }],
  );
  const [first, last] = [bars[0], bars.at(-1)];
  if (first === undefined || last === undefined) return candles.some(({ gap_s }) => gap_s > 0) ? 'gap' : undefined;
  return {
    open: first.open,
    close: last.close,
    high: Math.max(...bars.map(({ high }) => high)),
    low: Math.min(...bars.map(({ low }) => low)),
  };
};
