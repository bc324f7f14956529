import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { type VenueId, venueIds } from '@almanac/contracts';
import { parseConfig, processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';
import { readSample } from '../arguments.js';
import { homeFolder, readWritten } from '../config.js';
import { ImportError, sentenceOf } from '../errors.js';
import type { LiveVenue } from '../venues/venue.js';
import { venues } from '../venues/venues.js';

export const captureUsage = `Usage: npm run capture -- VENUE --series X [--sample 1s]

  VENUE        ${venueIds.join(' or ')}
  --series X   the series, such as KXBTC15M or btc-updown-5m. The capture follows its open markets
  --sample 1s  store the last state of each market in each interval, or every-change. Default: 1s`;

const seriesId = z.string().regex(/^[A-Za-z0-9_-]{1,120}$/, 'must be the identifier of a series');

const variables = z.object({
  ...processVariables,
  NATS_USER: variable.text().default('ingest'),
  CAPTURE_LIST_MS: variable.whole(15_000).describe('milliseconds between requests for the open markets of the venue'),
  CAPTURE_STORE_MS: variable
    .whole(5_000)
    .describe('milliseconds between stores of new rows; each one is an event for every market that has rows'),
  CAPTURE_PART_MB: variable.whole(256).describe('a part of the recording ends at this size, or after an hour'),
  CAPTURE_WAITING_MB: variable
    .whole(256)
    .describe('size of the rows that may wait for the archive; further rows become gaps'),
});

export type CaptureConfig = z.infer<typeof variables> & LiveVenue & CaptureArguments & { readonly folder: string };

export interface CaptureArguments {
  readonly venue: VenueId;
  readonly series: string;
  readonly intervalUs: number;
}

/** Parses the command line. Throws an `ImportError` with the usage if it is invalid. */
export const captureArguments = (given: readonly string[]): CaptureArguments => {
  const { values, positionals } = parsed(given);
  const faults: string[] = [];
  const venue = positionals.length === 1 ? venueIds.find((id) => id === positionals[0]) : undefined;
  if (venue === undefined) faults.push(`one venue is needed: ${venueIds.join(' or ')}`);
  const series = seriesId.safeParse(values.series);
  if (!series.success) faults.push('--series must be the identifier of a series');
  const { sample = '1s' } = values;
  const intervalUs = readSample(sample);
  if (intervalUs === null) faults.push('--sample must be every-change, or from 1ms to 1h');
  if (venue === undefined || !series.success || intervalUs === null)
    throw new ImportError(`${faults.join('\n')}\n\n${captureUsage}`);
  return { venue, series: series.data, intervalUs };
};

const parsed = (given: readonly string[]) => {
  try {
    return parseArgs({
      args: [...given],
      allowPositionals: true,
      options: { series: { type: 'string' }, sample: { type: 'string' } },
    });
  } catch (cause) {
    throw new ImportError(`${sentenceOf(cause)}\n\n${captureUsage}`, { cause });
  }
};

/** Reads the environment, then the file of the running system. Throws with all faults at once and without values. */
export const readCaptureConfig = async (
  environment: NodeJS.ProcessEnv,
  args: CaptureArguments,
): Promise<CaptureConfig> => {
  const schema = variables.and(venues[args.venue].live);
  const config = parseConfig(schema, { ...(await readWritten(environment)), ...environment });
  return { ...config, ...args, folder: join(homeFolder(environment), 'captures') };
};
