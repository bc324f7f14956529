import {
  dayStartUs,
  dayUs,
  DomainError,
  nextUtcDayUs,
  qualityDaysMax,
  type ReadTime,
  type TimeRange,
  utcDayOf,
} from '@almanac/contracts';

export interface GivenDays {
  readonly from?: string | null | undefined;
  readonly to?: string | null | undefined;
}

/** From the start of the first day to the end of the last one, or to now. Without days: yesterday. Throws `invalid_window`. */
export const dayRangeOf = ({ from, to }: GivenDays, { nowUs }: ReadTime): TimeRange => {
  const yesterday = utcDayOf(Math.max(0, nowUs - dayUs));
  const [first, last] = [from || to || yesterday, to || from || yesterday];
  const startUs = dayStartUs(first);
  const endUs = nextUtcDayUs(dayStartUs(last));
  if (endUs <= startUs) throw new DomainError('invalid_window', 'from must not be later than to.');
  if (endUs - startUs > qualityDaysMax * dayUs) {
    throw new DomainError('invalid_window', `The range has more than ${qualityDaysMax} days. Send fewer.`);
  }
  if (startUs < 0 || startUs > nowUs) {
    throw new DomainError('invalid_window', 'from must be a day since 1970 that has begun (UTC).');
  }
  return { startUs, endUs: Math.min(endUs, nowUs) };
};

/** The days of a range, as the answer has them. */
export const daysOf = ({ startUs, endUs }: TimeRange) => ({
  from: utcDayOf(startUs),
  to: utcDayOf(Math.max(startUs, endUs - 1)),
});
