const grouped = new Intl.NumberFormat('en-US', { maximumFractionDigits: 0 });

/** Counts: `1,234,567`. */
export const count = (value: number | null | undefined): string =>
  value === null || value === undefined ? '–' : grouped.format(value);

/** A result of decimals of the API, which have at most 8 digits after the point, without the noise of floats. */
export const withoutNoise = (value: number): number => Math.round(value * 1e8) / 1e8;

/** A decimal of the API with exactly its digits. JSON numbers have no noise of their own, so none is added. */
export const decimal = (value: number | null | undefined): string => {
  if (value === null || value === undefined) return '–';
  const text = plain(value);
  const [whole = '', fraction] = text.split('.');
  const separated = whole.replaceAll(/\B(?=(\d{3})+$)/g, ',');
  return fraction === undefined ? separated : `${separated}.${fraction}`;
};

/** Without an exponent. The API has at most 8 digits after the point. */
const plain = (value: number): string => {
  const text = String(value);
  return text.includes('e') ? value.toFixed(8).replace(/\.?0+$/, '') : text;
};

/** A price of a contract, with at least so many digits that columns align: `0.50`, `0.0090`. */
export const price = (value: number | null | undefined, digits = 2): string => {
  if (value === null || value === undefined) return '–';
  const [whole = '0', fraction = ''] = plain(value).split('.');
  return `${whole}.${fraction.padEnd(digits, '0')}`;
};

/** The most digits after the point that one of the values has, and at least so many. */
export const digitsOf = (values: readonly number[], least = 2): number =>
  values.reduce((most, value) => Math.max(most, plain(value).split('.')[1]?.length ?? 0), least);

/** A decimal with so many digits after the point that a column aligns: `1,200.50`. It never has fewer than the value. */
export const fixed = (value: number, digits: number): string => {
  const [whole = '0', fraction = ''] = decimal(value).split('.');
  return digits === 0 && fraction === '' ? whole : `${whole}.${fraction.padEnd(digits, '0')}`;
};

/** A share as per cent. What is not whole never shows as `100 %` or `0 %`. */
export const percent = (share: number | null | undefined): string => {
  if (share === null || share === undefined) return '–';
  if (share === 0 || share === 1) return `${share * 100} %`;
  const shown = (share * 100).toFixed(1);
  if (shown === '100.0') return '> 99.9 %';
  return shown === '0.0' ? '< 0.1 %' : `${shown} %`;
};

const byteUnits = ['B', 'KB', 'MB', 'GB', 'TB'] as const;

/** Sizes of files in powers of 1,000, as file managers show them: `1.2 MB`. */
export const bytes = (value: number | null | undefined): string => {
  if (value === null || value === undefined) return '–';
  let at = 0;
  let size = value;
  while (size >= 1_000 && at < byteUnits.length - 1) {
    size /= 1_000;
    at += 1;
  }
  return `${at === 0 || size >= 100 ? Math.round(size) : size.toFixed(1)} ${byteUnits[at] ?? 'B'}`;
};
