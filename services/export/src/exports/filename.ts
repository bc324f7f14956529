import { type ExportQuery, exportStreams } from '@almanac/contracts';

const idCharactersMax = 120;

/**
 * Tells a person what is inside: `KXBTC15M-26FEB242330_snapshots-settlement.csv`. Only letters, digits, dot, dash and
 * underscore, at most 180 of them, so that every file system takes it; no dot in front, which hides a file, and no dash,
 * which makes an option of it in a command line.
 */
export const filenameOf = (exportQuery: ExportQuery): string => {
  const { event, ticker, series, day, streams, format } = exportQuery;
  const about = day === null ? safe(ticker ?? event ?? 'export') : `${safe(series ?? 'series')}_${day}`;
  const contents = exportStreams.filter((stream) => streams.includes(stream)).join('-');
  return `${about}_${contents}.${format}`;
};

/** Windows takes these for devices, whatever stands behind the first dot: `CON.2026_l2.csv` is no file there. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.)/i;

const safe = (id: string): string =>
  id
    .replaceAll(/[^A-Za-z0-9._-]/g, '_')
    .replace(/^[.-]+/, '_')
    .replace(device, '$1_')
    .slice(0, idCharactersMax);
