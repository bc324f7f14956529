export { counted } from '@almanac/client/node';

/** Values as people read them. Null and absent values are a dash. */
const nothing = '–';

/** Titles come from venues. Their control characters must not reach the terminal. */
export const printable = (value: unknown): string => {
  if (value === null || value === undefined || value === '') return nothing;
  return (typeof value === 'string' ? value : JSON.stringify(value)).replaceAll(/[\p{Cc}\p{Bidi_Control}]/gu, ' ');
};

/** UTC, as exact as the value: `2026-02-25 04:30:00Z`. */
export const time = (seconds: number | null | undefined): string => {
  if (seconds === null || seconds === undefined) return nothing;
  const micros = Math.round(seconds * 1e6);
  const whole = new Date(Math.floor(micros / 1e6) * 1_000).toISOString().slice(0, 19).replace('T', ' ');
  const fraction = (((micros % 1e6) + 1e6) % 1e6).toString().padStart(6, '0').replace(/0+$/, '');
  return `${whole}${fraction === '' ? '' : `.${fraction}`}Z`;
};

const byteUnits = ['B', 'kB', 'MB', 'GB', 'TB'];

export const bytes = (count: number | null | undefined): string => {
  if (count === null || count === undefined) return nothing;
  const power = Math.min(byteUnits.length - 1, Math.max(0, Math.floor(Math.log10(Math.max(1, count)) / 3)));
  return `${power === 0 ? count : (count / 1_000 ** power).toFixed(1)} ${byteUnits[power] ?? ''}`;
};

/** `1,234,567`, in every locale. */
export const count = (value: number | null | undefined): string =>
  value === null || value === undefined ? nothing : value.toLocaleString('en-US', { maximumFractionDigits: 8 });

/** `12s`, `3m 20s`, `2h 5m`. */
export const duration = (seconds: number): string => {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole}s`;
  const [first, second] =
    whole < 3_600
      ? [`${Math.floor(whole / 60)}m`, `${whole % 60}s`]
      : [`${Math.floor(whole / 3_600)}h`, `${Math.floor((whole % 3_600) / 60)}m`];
  return second.startsWith('0') ? first : `${first} ${second}`;
};

/** An amount of money, which the API has in the smallest unit. */
export const money = (value: { readonly amount: number; readonly currency: string } | null | undefined): string =>
  value === null || value === undefined
    ? nothing
    : `${(value.amount / 100).toFixed(2)} ${value.currency.toUpperCase()}`;

/** What of a limit is used: `3 of 10`, `3 of unlimited`. */
export const used = ({ used: done, limit }: { readonly used: number; readonly limit: number | null }): string =>
  `${count(done)} of ${limit === null ? 'unlimited' : count(limit)}`;
