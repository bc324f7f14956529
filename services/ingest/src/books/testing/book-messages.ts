import { one } from '../../values/millionths.js';
import type { BookMessage, Level, Side } from '../../model/feed-message.js';
import type { rebuilt } from './rebuild-books.js';

export type Place = readonly [us: number, seq: number];

const at = ([us, seq]: Place, ticker = 'A-1') => ({ us, venueUs: us - 5, ticker, sid: 1, seq });
const cents = (levels: readonly (readonly [number, number])[]): Level[] =>
  levels.map(([price, size]) => [price * 10_000, size * one]);
export const snapshot = (place: Place, ticker?: string): BookMessage => ({
  kind: 'snapshot',
  ...at(place, ticker),
  yes: cents([
    [40, 10],
    [45, 5],
  ]),
  no: cents([[50, 7]]),
});
export const change = (
  place: Place,
  side: Side,
  [price, by]: readonly [number, number],
  ticker?: string,
): BookMessage => ({
  kind: 'change',
  ...at(place, ticker),
  side,
  price: price * 10_000,
  by: by * one,
});
/** The times between the spans of each market, and after the last one if a fault ended it. */
export const gapsOf = ({ spans }: ReturnType<typeof rebuilt>) =>
  Array.from(Map.groupBy(spans.values(), ({ ticker }) => ticker).values()).flatMap((its) =>
    its
      .map(({ ticker, endUs, endReason }, index) => [ticker, endUs, its[index + 1]?.startUs ?? null, endReason])
      .filter(([, , endUs, reason]) => endUs !== null || reason !== 'the recording ended'),
  );
export const timesOf = ({ rows }: ReturnType<typeof rebuilt>) => rows.map(({ us }) => us);
