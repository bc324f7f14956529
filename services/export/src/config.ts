import { clickhouseVariables, objectStoreVariables, processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';

export const config = z.object({
  ...processVariables,
  ...clickhouseVariables,
  ...objectStoreVariables,
  EXPORT_CONCURRENCY: variable
    .whole(2)
    .refine((files) => files > 0, 'must be 1 or more')
    .describe('files that this process prepares at once'),
  EXPORT_ATTEMPTS: variable
    .whole(10)
    .refine((attempts) => attempts > 0, 'must be 1 or more')
    .describe('deliveries of a wanted file before it is given up; ten take a minute'),
  LINK_TTL_S: variable
    .whole(900)
    .refine((seconds) => seconds >= 2 && seconds <= 604_800, 'must be 2 to 604800')
    .describe('how long a signed link lives'),
});
export type ExportConfig = z.output<typeof config>;
