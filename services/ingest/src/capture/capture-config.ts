import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { parseConfig, processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';
import { readSample } from '../arguments.js';
import { homeFolder, readWritten } from '../config.js';
import { ImportError, sentenceOf } from '../errors.js';
import { readPrivateKey } from './kalshi-signature.js';

export const captureUsage = `Usage: npm run capture -- kalshi|polymarket --series X [--sample 1s]

  kalshi|polymarket  the venue
  --series X         the series, such as KXBTC15M or btc-updown-5m. The capture follows its open markets
  --sample 1s        store the last state of each market in each interval, or every-change. Default: 1s`;

const seriesId = z.string().regex(/^[A-Za-z0-9_-]{1,120}$/, 'must be the identifier of a series');

const variables = z.object({
  ...processVariables,
  NATS_USER: variable.text().default('ingest'),
  KALSHI_WS_URL: variable.url().default('wss://api.elections.kalshi.com/trade-api/ws/v2'),
  KALSHI_REST_URL: variable.url().default('https://api.elections.kalshi.com/trade-api/v2'),
  KALSHI_KEY_ID: variable.text().optional().describe('id of a key of the API'),
  KALSHI_PRIVATE_KEY: z
    .string()
    .transform((pem, context) => {
      try {
        return readPrivateKey(pem);
      } catch (error) {
        context.addIssue({ code: 'custom', message: sentenceOf(error) });
        return z.NEVER;
      }
    })
    .optional()
    .describe('its private key in PEM'),
  POLYMARKET_WS_URL: variable.url().default('wss://ws-subscriptions-clob.polymarket.com/ws/market'),
  POLYMARKET_REST_URL: variable.url().default('https://gamma-api.polymarket.com'),
  CAPTURE_LIST_MS: variable.whole(15_000).describe('milliseconds between requests for the open markets of the venue'),
  CAPTURE_PART_MB: variable.whole(256).describe('a part of the recording ends at this size, or after an hour'),
  CAPTURE_WAITING_MB: variable
    .whole(256)
    .describe('size of the rows that may wait for the archive; further rows become gaps'),
});

export type CaptureConfig = z.infer<typeof variables> & CaptureArguments & { readonly folder: string };

export interface CaptureArguments {
  readonly venue: 'kalshi' | 'polymarket';
  readonly series: string;
  readonly intervalUs: number;
}

/** The command line. Throws an `ImportError` with the usage when it cannot be used. */
export const captureArguments = (given: readonly string[]): CaptureArguments => {
  const { values, positionals } = parsed(given);
  const faults: string[] = [];
  const [venue] = positionals;
  const isVenue = venue === 'kalshi' || venue === 'polymarket';
  if (!isVenue || positionals.length !== 1) faults.push('one venue is needed: kalshi or polymarket');
  const series = seriesId.safeParse(values.series);
  if (!series.success) faults.push('--series must be the identifier of a series');
  const { sample = '1s' } = values;
  const intervalUs = readSample(sample);
  if (intervalUs === null) faults.push('--sample must be every-change, or from 1ms to 1h');
  if (!isVenue || !series.success || intervalUs === null || faults.length > 0)
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

/** The environment, then what the running system wrote down. Throws with all that is wrong at once; values are not shown. */
export const readCaptureConfig = async (
  environment: NodeJS.ProcessEnv,
  args: CaptureArguments,
): Promise<CaptureConfig> => {
  const needsKey = args.venue === 'kalshi';
  const schema = variables.superRefine((config, context) => {
    for (const name of needsKey ? (['KALSHI_KEY_ID', 'KALSHI_PRIVATE_KEY'] as const) : [])
      if (config[name] === undefined)
        context.addIssue({ code: 'custom', path: [name], message: 'is required for kalshi' });
  });
  const config = parseConfig(schema, { ...(await readWritten(environment)), ...environment });
  return { ...config, ...args, folder: join(homeFolder(environment), 'captures') };
};
