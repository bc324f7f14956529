import { offsetS } from '../format/zone.js';

const leads = [1, 2, 5] as const;

export interface Ticks {
  readonly values: readonly number[];
  /** Digits after the point that tell the values apart. */
  readonly digits: number;
}

/** Round values of an axis: at most `most`, but at least two, because one value alone says nothing of the scale. */
export const valueTicks = (low: number, high: number, most: number): Ticks => {
  if (!(high > low)) return { values: [low], digits: 2 };
  let exponent = Math.floor(Math.log10(high - low)) - 2;
  let finer: Ticks | undefined;
  for (; ; exponent += 1) {
    for (const lead of leads) {
      const ticks = ticksOf([low, high], lead, exponent);
      const isFew = ticks.values.length <= Math.max(2, most);
      if (ticks.values.length < 2) return finer ?? ticks;
      if (isFew) return ticks;
      finer = ticks;
    }
  }
};

const ticksOf = ([low, high]: readonly [number, number], lead: number, exponent: number): Ticks => {
  const digits = Math.max(0, -exponent);
  const step = Number(`${lead}e${exponent}`);
  const values: number[] = [];
  for (let at = Math.ceil(low / step - 1e-9); at * step <= high + step * 1e-9; at += 1) {
    values.push(Number((at * step).toFixed(digits)));
  }
  return { values, digits };
};

const minute = 60;
const hour = 3_600;
const day = 86_400;
const timeSteps = [
  ...[1, 2, 5].map((n) => n / 1_000),
  ...[1, 2, 5].map((n) => n / 100),
  ...[1, 2, 5].map((n) => n / 10),
  1,
  2,
  5,
  10,
  15,
  30,
  ...[1, 2, 5, 10, 15, 30].map((n) => n * minute),
  ...[1, 2, 3, 6, 12].map((n) => n * hour),
  ...[1, 2, 4, 7, 14, 28, 56, 112, 182, 364, 728].map((n) => n * day),
];

export interface TimeTicks {
  readonly times: readonly number[];
  readonly step: number;
}

/** Round times in the shown zone: at most `most`, but at least two. */
export const timeTicks = (from: number, to: number, most: number): TimeTicks => {
  const shift = offsetS(from);
  let finer: TimeTicks | undefined;
  for (const step of timeSteps) {
    if ((to - from) / step > 200) continue;
    const times: number[] = [];
    for (let at = Math.ceil((from + shift) / step); at * step - shift <= to; at += 1) times.push(at * step - shift);
    if (times.length < 2) break;
    finer = { times, step };
    if (times.length <= Math.max(2, most)) break;
  }
  return finer ?? { times: [from, to], step: to - from };
};
