/** The present time, in integer microseconds since the epoch. */
export const unixMicros = (): number => Date.now() * 1_000;
