import { clickhouseVariables, processVariables, readsWaiting, variable } from '@almanac/runtime';
import { z } from 'zod';

export const config = z.object({
  ...processVariables,
  ...clickhouseVariables,
  CATALOG_FOLDER: variable
    .text()
    .optional()
    .describe(
      "folder for a copy of all markets, about 400 B each, which may be lost; by default in the system's folder for temporary files",
    ),
  READS_CONCURRENT: variable
    .whole(8, 1)
    .describe(
      'concurrent answers from ClickHouse of this process, half of them for each account (a quarter beside other accounts)',
    ),
  READS_WAITING: readsWaiting,
  CATALOG_ANSWERS_MB: variable.whole(16).describe('memory for answers that are reused for one second'),
});
export type CatalogConfig = z.output<typeof config>;
