/** A number of the command line, such as `npm run test:long -- chaos --seed 7`, or else the default. */
export const testNumber = (
  name: 'seed' | 'kills' | 'stops' | 'freezes' | 'cuts' | 'faults' | 'reads' | 'inputs' | 'events',
  fallback: number,
): number => {
  const text = process.env[`ALMANAC_TEST_${name.toUpperCase()}`];
  if (text === undefined) return fallback;
  if (!/^\d{1,9}$/.test(text)) throw new Error(`--${name} must be a number of at most 9 digits, not ${text}`);
  return Number(text);
};
