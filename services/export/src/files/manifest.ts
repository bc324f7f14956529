import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { exportManifest, type ExportManifest } from '@almanac/contracts';

const [packed, unpacked] = [promisify(gzip), promisify(gunzip)];

/**
 * As it stands in the file's event. A day of a strike ladder has thousands of markets, 75 bytes each, twice in an event
 * of 1 MiB at most; their tickers are so alike that they take a tenth of it packed.
 */
export const packManifest = async (manifest: ExportManifest): Promise<string> =>
  (await packed(JSON.stringify(manifest))).toString('base64');

export const unpackManifest = async (text: string): Promise<ExportManifest> =>
  exportManifest.parse(JSON.parse((await unpacked(Buffer.from(text, 'base64'))).toString()));
