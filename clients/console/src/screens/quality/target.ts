import { useState } from 'react';
import { useSearchParams } from 'wouter';
import { useAsOf } from '../../api/as-of.js';
import { pushSearch } from '../../api/search-of-address.js';
import { dayOf } from '../../format/time.js';

export const targetKinds = ['series', 'category', 'venue'] as const;
export type TargetKind = (typeof targetKinds)[number];

/** What the calendar is about, as the address says it. */
export interface QualityTarget {
  readonly kind: TargetKind;
  readonly id: string;
}

export interface Days {
  readonly from: string;
  readonly to: string;
}

/** The most days of one request. */
export const daysMax = 31;
const daySeconds = 86_400;

const startOf = (day: string): number => Date.parse(`${day}T00:00:00Z`) / 1_000;

/** The days around: as many, before or after. */
export const shifted = ({ from, to }: Days, direction: -1 | 1): Days => {
  const length = startOf(to) - startOf(from) + daySeconds;
  return {
    from: dayOf(startOf(from) + direction * length),
    to: dayOf(startOf(to) + direction * length),
  };
};

const isDay = (text: string | null): text is string => text !== null && !Number.isNaN(startOf(text));

/** The days of an address. A missing one follows from the other, and both from the present. */
export const daysOf = (given: { readonly from: string | null; readonly to: string | null }, nowS: number): Days => {
  const to = isDay(given.to)
    ? given.to
    : isDay(given.from)
      ? dayOf(Math.min(nowS, startOf(given.from) + (daysMax - 1) * daySeconds))
      : dayOf(nowS);
  return { from: isDay(given.from) ? given.from : dayOf(startOf(to) - (daysMax - 1) * daySeconds), to };
};

/** Monday is 0. */
export const weekdayOf = (day: string): number => (new Date(`${day}T00:00:00Z`).getUTCDay() + 6) % 7;

export interface QualityAddress {
  /** Undefined: nothing is chosen. */
  readonly target: QualityTarget | undefined;
  readonly days: Days;
  readonly day: string | undefined;
  readonly open: (target: QualityTarget, days: Days, day?: string) => void;
}

/** Target, days and day of the address. Every change is an entry of the browser's history. */
export const useQualityAddress = (): QualityAddress => {
  const [params] = useSearchParams();
  const asOf = useAsOf();
  const [openedS] = useState(() => Date.now() / 1_000);
  const kind = targetKinds.find((one) => (params.get(one) ?? '') !== '');
  const day = params.get('day');
  return {
    target: kind === undefined ? undefined : { kind, id: params.get(kind) ?? '' },
    days: daysOf({ from: params.get('from'), to: params.get('to') }, asOf ?? openedS),
    day: isDay(day) ? day : undefined,
    open: (target, shown, chosen) => {
      const next = new URLSearchParams(location.search);
      for (const name of [...targetKinds, 'from', 'to', 'day']) next.delete(name);
      for (const [name, value] of Object.entries({ [target.kind]: target.id, ...shown, day: chosen }))
        if (value !== undefined) next.set(name, value);
      pushSearch(next);
    },
  };
};
