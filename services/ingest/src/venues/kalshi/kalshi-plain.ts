import type { FrameColumns } from '../../model/frame-run.js';
import { type FrameScanner, inYears, nameBytes } from '../../sources/frame-scanner.js';
import { one } from '../../values/millionths.js';
import type { PlainReader } from '../venue.js';

const open = 0x7b;
const close = 0x7d;
const comma = 0x2c;

const names = {
  type: nameBytes('type'),
  delta: nameBytes('orderbook_delta'),
  sid: nameBytes('sid'),
  seq: nameBytes('seq'),
  msg: nameBytes('msg'),
  ticker: nameBytes('market_ticker'),
  price: nameBytes('price_dollars'),
  by: nameBytes('delta_fp'),
  side: nameBytes('side'),
  yes: nameBytes('yes'),
  no: nameBytes('no'),
  ts: nameBytes('ts'),
  tsMs: nameBytes('ts_ms'),
  time: nameBytes('time'),
} as const;

/** Bits of what an object has. */
const has = { type: 1, sid: 2, seq: 4, msg: 8 } as const;
const hasAll = 15;
const of = { ticker: 1, price: 2, by: 4, side: 8, ts: 16, tsMs: 32 } as const;
const ofNeeded = 15;

/**
 * Reads a frame with a change of a book, as `kalshiFrame` reads it. Every other frame is left to it, and one that is not read exactly.
 * Names may come in any order, and a message may have further ones.
 */
export const plainDeltas: PlainReader = { read: (scan, to, row) => (readDelta(scan, to, row) ? 1 : 0) };

const readDelta = (scan: FrameScanner, to: FrameColumns, row: number): boolean => {
  if (!scan.is(open)) return false;
  let seen = 0;
  do {
    if (!scan.name()) return false;
    const bit = readPart(scan, to, row);
    if (bit === 0 || (seen & bit) !== 0) return false;
    seen |= bit;
  } while (scan.is(comma));
  return seen === hasAll && scan.is(close);
};

/** Returns the bit of the name that was read, or 0. */
const readPart = (scan: FrameScanner, to: FrameColumns, row: number): number => {
  if (scan.isText(names.type)) return scan.text() && scan.isText(names.delta) ? has.type : 0;
  if (scan.isText(names.sid)) return (to.sid[row] = scan.integer()) > 0 ? has.sid : 0;
  if (scan.isText(names.seq)) return (to.seq[row] = scan.integer()) > 0 ? has.seq : 0;
  return scan.isText(names.msg) && readMessage(scan, to, row) ? has.msg : 0;
};

const readMessage = (scan: FrameScanner, to: FrameColumns, row: number): boolean => {
  if (!scan.is(open)) return false;
  let seen = 0;
  to.venueUs[row] = NaN;
  do {
    if (!scan.name()) return false;
    const bit = readField(scan, to, row, seen);
    if (bit < 0 || (seen & bit) !== 0) return false;
    seen |= bit;
  } while (scan.is(comma));
  return (seen & ofNeeded) === ofNeeded && scan.is(close);
};

/** Returns the bit of the name that was read, 0 for one that does not count, or -1. */
const readField = (scan: FrameScanner, to: FrameColumns, row: number, seen: number): number => {
  if (scan.isText(names.ticker)) {
    if (!scan.text() || scan.isText(noBytes)) return -1;
    to.tickers[row] = scan.knownText();
    return of.ticker;
  }
  if (scan.isText(names.price)) {
    const price = scan.text() ? scan.millionths() : NaN;
    to.price[row] = price;
    return price > 0 && price < one ? of.price : -1;
  }
  if (scan.isText(names.by)) {
    const by = scan.text() ? scan.millionths() : NaN;
    to.amount[row] = by;
    return Number.isNaN(by) ? -1 : of.by;
  }
  if (scan.isText(names.side)) {
    if (!scan.text()) return -1;
    const isYes = scan.isText(names.yes);
    to.isYes[row] = isYes ? 1 : 0;
    return isYes || scan.isText(names.no) ? of.side : -1;
  }
  return readTimes(scan, to, row, seen);
};

const noBytes = nameBytes('');

/** `ts` has more digits than `ts_ms`, and counts wherever it is. */
const readTimes = (scan: FrameScanner, to: FrameColumns, row: number, seen: number): number => {
  if (scan.isText(names.ts)) {
    const us = scan.text() ? scan.isoTime() : NaN;
    to.venueUs[row] = us;
    return Number.isNaN(us) ? -1 : of.ts;
  }
  if (scan.isText(names.tsMs)) {
    const us = inYears(scan.integer() * 1_000);
    if ((seen & of.ts) === 0) to.venueUs[row] = us;
    return Number.isNaN(us) ? -1 : of.tsMs;
  }
  if (scan.isText(names.time)) return -1;
  return scan.skipValue() ? 0 : -1;
};
