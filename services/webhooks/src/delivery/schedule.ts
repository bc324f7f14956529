const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** From the first failed attempt of a delivery until its webhook is disabled. */
export const failingMsMax = 24 * hourMs;

/** Time after each failed attempt until the next one. The last one repeats. */
const waitsMs = [5_000, 30_000, 2 * minuteMs, 10 * minuteMs, 30 * minuteMs, hourMs, 2 * hourMs];

/** With up to 20 % more, so that deliveries that failed together do not return together. */
export const waitMs = (attempts: number, random: () => number = Math.random): number =>
  Math.round((waitsMs[Math.min(attempts, waitsMs.length) - 1] ?? 2 * hourMs) * (1 + 0.2 * random()));
