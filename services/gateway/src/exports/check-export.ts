import { exportDaysMax } from '@almanac/contracts';
import { type Fault, ValidationError } from '../validation/fault.js';

/** Checks the bounds of a range of valid UTC days. Each day has an export of its own, or rows in one file. */
export const checkDays = ({ from, to }: { from?: string | null | undefined; to?: string | null | undefined }): void => {
  if (!from || !to) return;
  const lastDay = new Date(Date.parse(from) + (exportDaysMax - 1) * 86_400_000).toISOString().slice(0, 10);
  const at = { loc: ['body', 'to'], input: to };
  if (to < from) {
    const msg = `Input should be greater than or equal to ${from}`;
    throw new ValidationError([{ ...at, type: 'greater_than_equal', msg, ctx: { ge: from } }]);
  }
  if (to > lastDay) {
    const msg = `Input should be less than or equal to ${lastDay}`;
    throw new ValidationError([{ ...at, type: 'less_than_equal', msg, ctx: { le: lastDay } }]);
  }
};

const fixedOptions = ['streams', 'format', 'split', 'numbers', 'csv_formulas'] as const;

/** Options that a dataset fixes. They would have no effect beside it, so they are refused. */
export const checkOptions = (
  { dataset }: { readonly dataset?: string | null | undefined },
  sent: Readonly<Record<string, unknown>>,
): readonly Fault[] => {
  if (!dataset) return [];
  return fixedOptions
    .filter((name) => Object.hasOwn(sent, name))
    .map((name) => {
      const error = `a dataset has its own ${name}, so send dataset without it`;
      const loc = ['body', name];
      return { type: 'value_error', loc, msg: `Value error, ${error}`, input: sent[name], ctx: { error: {} } };
    });
};
