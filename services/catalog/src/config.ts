import { clickhouseVariables, processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';

export const config = z.object({
  ...processVariables,
  ...clickhouseVariables,
  CATALOG_MARKETS_KEPT: variable
    .whole(100_000)
    .describe('markets whose state is kept in memory for market detail, about 1 KB each'),
  CATALOG_ANSWERS_MB: variable.whole(16).describe('memory for answers that are given again within a second'),
});
export type CatalogConfig = z.output<typeof config>;
