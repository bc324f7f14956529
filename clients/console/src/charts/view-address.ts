import { type Window, rounded, roundedToMs } from './window.js';

/** What of a chart is in the address: the time in sight, and the cursor. Both are absent while nobody has chosen them. */
export interface ChosenView {
  readonly window: Window | undefined;
  readonly at: number | undefined;
}

const latest = 4_102_444_800;

const timeIn = (params: URLSearchParams, name: string): number | undefined => {
  const text = params.get(name);
  const ts = text === null || text.trim() === '' ? Number.NaN : Number(text);
  return Number.isFinite(ts) && Math.abs(ts) <= latest ? ts : undefined;
};

export const viewIn = (params: URLSearchParams): ChosenView => {
  const [from, to] = [timeIn(params, 'from'), timeIn(params, 'to')];
  const window = from === undefined || to === undefined || from >= to ? undefined : { from, to };
  return { window, at: timeIn(params, 'at') };
};

/** Milliseconds are finer than any pixel of a window of a minute. A shorter one keeps microseconds. */
const textOf = (ts: number, length: number): string => String(length > 60 ? roundedToMs(ts) : rounded(ts));

/** Writes a view into the parameters of an address, in which everything else stays. */
export const writeView = (params: URLSearchParams, { window, at }: ChosenView): URLSearchParams => {
  const length = window === undefined ? Infinity : window.to - window.from;
  const values = { from: window?.from, to: window?.to, at };
  for (const [name, ts] of Object.entries(values)) {
    if (ts === undefined) params.delete(name);
    else params.set(name, textOf(ts, length));
  }
  return params;
};
