import { clickhouseVariables, processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';

export const config = z.object({
  ...processVariables,
  ...clickhouseVariables,
  CATALOG_FOLDER: variable
    .text()
    .optional()
    .describe(
      "folder of a copy of all markets, some 400 B each, which may be lost; without it in the system's for temporary files",
    ),
  CATALOG_ANSWERS_MB: variable.whole(16).describe('memory for answers that are given again within a second'),
});
export type CatalogConfig = z.output<typeof config>;
