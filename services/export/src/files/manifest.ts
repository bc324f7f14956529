import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { exportManifest, type ExportManifest } from '@almanac/contracts';

const [packed, unpacked] = [promisify(gzip), promisify(gunzip)];

/**
 * The manifest as it is stored in the file's event. A day of a strike ladder has thousands of markets of 75 bytes each,
 * twice in an event of at most 1 MiB. Their tickers are similar, so they compress to a tenth.
 */
export const packManifest = async (manifest: ExportManifest): Promise<string> =>
  (await packed(JSON.stringify(manifest))).toString('base64');

export const unpackManifest = async (text: string): Promise<ExportManifest> =>
  exportManifest.parse(JSON.parse((await unpacked(Buffer.from(text, 'base64'))).toString()));
