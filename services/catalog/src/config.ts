import { clickhouseVariables, processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';

export const config = z.object({
  ...processVariables,
  ...clickhouseVariables,
  CATALOG_MARKETS_KEPT: variable
    .whole(100_000)
    .describe('markets whose state is kept in memory for market detail, about 1 KB each'),
});
export type CatalogConfig = z.output<typeof config>;
