import { z } from 'zod';

/** The most days of one request, and the most events or tickers of a list. */
export const exportDaysMax = 31;
const exportListMax = 100;

const listOf = (what: string, example: string) =>
  z
    .array(z.string().min(1))
    .min(1)
    .max(exportListMax)
    .nullish()
    .meta({ description: `${what}. At most ${exportListMax}`, examples: [[example]] });

/** The fields of POST /exports for a range of days, a list, and several files. */
export const requestedRange = {
  from: z.iso
    .date()
    .nullish()
    .meta({ description: 'First UTC day of a range, as YYYY-MM-DD. Requires `series` and `to`' }),
  to: z.iso
    .date()
    .nullish()
    .meta({
      description: `Last UTC day of a range, as YYYY-MM-DD. At most ${exportDaysMax} days from \`from\` to \`to\``,
    }),
  events: listOf('Tickers of events. Exports all of their markets into one file', 'KXBTC15M-26FEB242330'),
  tickers: listOf('Tickers of markets. Exports them into one file', 'KXBTC15M-26FEB242330-30'),
  split: z
    .enum(['none', 'day'])
    .default('none')
    .meta({
      description: '`none` for one file, or `day` for one export for each day of a series that has data',
      examples: ['none'],
    }),
};

/** Only an export of a range or a list has these. Others stay as they were, so their files keep their keys and bytes. */
export const rangeFields = {
  from: z.string().meta({ description: 'First UTC day of a range, as YYYY-MM-DD', examples: ['2026-02-24'] }),
  to: z.string().meta({ description: 'Last UTC day of a range, as YYYY-MM-DD', examples: ['2026-02-25'] }),
  events: z
    .array(z.string())
    .meta({ description: 'Tickers of the events, in order', examples: [['KXBTC15M-26FEB242330']] }),
  tickers: z
    .array(z.string())
    .meta({ description: 'Tickers of the markets, in order', examples: [['KXBTC15M-26FEB242330-30']] }),
};

const count = z.int().min(0);

/** In the manifest of a range. */
export const exportedDays = z
  .array(
    z
      .object({
        day: z.string().meta({ description: 'UTC day, as YYYY-MM-DD', examples: ['2026-02-25'] }),
        rows: count.meta({ description: 'Number of rows of the day', examples: [450] }),
      })
      .meta({ id: 'ExportedDay', description: 'A day in an export of a range.' }),
  )
  .optional()
  .meta({ description: 'Every day of a range, also those without rows. Absent for other exports' });
