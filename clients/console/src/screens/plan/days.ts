const daySeconds = 86_400;

export interface DayCount {
  /** The start of the day in Unix seconds. */
  readonly start: number;
  readonly exports: number;
}

/** How many of the times are in each of the last days of UTC, the oldest day first. */
export const countsOfDays = (times: readonly number[], now: number, days: number): readonly DayCount[] => {
  const today = Math.floor(now / daySeconds);
  return Array.from({ length: days }, (_, index) => {
    const day = today - (days - 1 - index);
    return {
      start: day * daySeconds,
      exports: times.filter((time) => Math.floor(time / daySeconds) === day).length,
    };
  });
};
