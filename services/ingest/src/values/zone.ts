const clocks = new Map<string, Intl.DateTimeFormat>();

const clockOf = (zone: string): Intl.DateTimeFormat => {
  const known = clocks.get(zone);
  if (known) return known;
  const clock = new Intl.DateTimeFormat('en-US', {
    timeZone: zone,
    hourCycle: 'h23',
    year: 'numeric',
    month: 'numeric',
    day: 'numeric',
    hour: 'numeric',
    minute: 'numeric',
    second: 'numeric',
  });
  clocks.set(zone, clock);
  return clock;
};

export const isZone = (zone: string): boolean => {
  try {
    clockOf(zone);
    return true;
  } catch (error) {
    if (error instanceof RangeError) return false;
    throw error;
  }
};

/** The zone's offset from UTC at an instant, in milliseconds. */
const offsetAt = (utcMs: number, zone: string): number => {
  const shown = new Map(
    clockOf(zone)
      .formatToParts(utcMs)
      .map((part) => [part.type, Number(part.value)]),
  );
  const get = (type: Intl.DateTimeFormatPartTypes): number => shown.get(type) ?? 0;
  const local = Date.UTC(get('year'), get('month') - 1, get('day'), get('hour'), get('minute'), get('second'));
  return local - Math.floor(utcMs / 1000) * 1000;
};

const dayMs = 86_400_000;

/**
 * The instant (milliseconds) at which a clock in the zone shows `localMs` (milliseconds, as if it were UTC).
 *
 * When the clock is set back, an hour occurs twice: the first one counts. When it is set forward, an hour does not
 * occur: the time is read with the offset before the change, so 02:30 becomes 03:30, as in calendars.
 */
export const localToUtcMs = (localMs: number, zone: string): number => {
  const before = offsetAt(localMs - dayMs, zone);
  const after = offsetAt(localMs + dayMs, zone);
  const candidates = [localMs - before, localMs - after].filter((utcMs) => offsetAt(utcMs, zone) === localMs - utcMs);
  return candidates.length > 0 ? Math.min(...candidates) : localMs - before;
};

/** Whether a clock in the zone shows midnight at an instant (milliseconds). */
export const isAtMidnight = (utcMs: number, zone: string): boolean => (utcMs + offsetAt(utcMs, zone)) % dayMs === 0;
