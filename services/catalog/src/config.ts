import { clickhouseVariables, processVariables, variable } from '@almanac/runtime';
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
  CATALOG_ANSWERS_MB: variable.whole(16).describe('memory for answers that are reused for one second'),
});
export type CatalogConfig = z.output<typeof config>;
