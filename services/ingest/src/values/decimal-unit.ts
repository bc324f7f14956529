import { z } from 'zod';

/** What a source writes as 1: a dollar (or a contract), a cent, or a power of ten. Recorders write 0.48 as 4800 of `1e-4`. */
export type DecimalUnit = 'dollars' | 'cents' | `1e-${number}`;

/** How far the point of a number moves to the left. */
export const pointLeftOf = (unit: DecimalUnit): number => {
  if (unit === 'dollars') return 0;
  return unit === 'cents' ? 2 : Number(unit.slice('1e-'.length));
};

const placesMax = 18;

/** In a mapping. YAML reads `1e-4` as a number. */
export const decimalUnit = z.union([z.number(), z.string()]).transform((given, context): DecimalUnit => {
  if (given === 'dollars' || given === 'cents') return given;
  const places = -Math.round(Math.log10(Number(given)));
  const unit = `1e-${places}` as const;
  if (places >= 1 && places <= placesMax && Number(unit) === Number(given)) return unit;
  context.addIssue({ code: 'custom', message: 'must be dollars, cents, or a power of ten such as 1e-4' });
  return z.NEVER;
});
