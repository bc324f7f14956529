import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { exportManifest, type ExportManifest } from '@almanac/contracts';
import { z } from 'zod';

const [packed, unpacked] = [promisify(gzip), promisify(gunzip)];

/**
 * The manifest as it is stored in the file's event. A day of a strike ladder has thousands of markets of 75 bytes each,
 * twice in an event of at most 1 MiB. Their tickers are similar, so they compress to a tenth.
 */
export const packManifest = async (manifest: ExportManifest): Promise<string> =>
  (await packed(JSON.stringify(manifest))).toString('base64');

export const unpackManifest = async (text: string): Promise<ExportManifest> =>
  exportManifest.parse(JSON.parse((await unpacked(Buffer.from(text, 'base64'))).toString()));

/** The tickers of a day pack, for the same reason. */
export const packTickers = async (tickers: readonly string[]): Promise<string> =>
  (await packed(JSON.stringify(tickers))).toString('base64');

export const unpackTickers = async (text: string): Promise<readonly string[]> =>
  z.array(z.string()).parse(JSON.parse((await unpacked(Buffer.from(text, 'base64'))).toString()));
