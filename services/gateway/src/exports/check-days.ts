import { exportDaysMax } from '@almanac/contracts';
import { ValidationError } from '../validation/fault.js';

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
