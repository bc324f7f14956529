/** The zone in which times are shown: UTC, or that of the browser. */
export type Zone = 'utc' | 'local';

const name = 'almanac-zone';
const listeners = new Set<() => void>();

const stored = (): Zone => {
  try {
    return localStorage.getItem(name) === 'local' ? 'local' : 'utc';
  } catch {
    // Outside of a browser, and where it refuses storage.
    return 'utc';
  }
};

let zone: Zone = stored();

export const shownZone = (): Zone => zone;

export const setZone = (next: Zone): void => {
  zone = next;
  try {
    localStorage.setItem(name, next);
  } catch {
    // The zone then lasts as long as the page.
  }
  for (const listener of listeners) listener();
};

export const onZone = (listener: () => void): (() => void) => {
  listeners.add(listener);
  return () => void listeners.delete(listener);
};

/** Seconds by which clocks of the shown zone are ahead of UTC at a time. */
export const offsetS = (ts: number): number => (zone === 'utc' ? 0 : -new Date(ts * 1_000).getTimezoneOffset() * 60);

/** `UTC`, or the distance to it: `+02:00`. */
export const zoneName = (ts: number): string => {
  if (zone === 'utc') return 'UTC';
  const minutes = offsetS(ts) / 60;
  const [hours, rest] = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60];
  return `${minutes < 0 ? '-' : '+'}${String(hours).padStart(2, '0')}:${String(rest).padStart(2, '0')}`;
};
