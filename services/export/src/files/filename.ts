import { exportFormats, type ExportQuery, exportStreams } from '@almanac/contracts';

const idCharactersMax = 120;

/**
 * A readable name such as `KXBTC15M-26FEB242330_snapshots-settlement.csv`. It has only letters, digits, dots, dashes
 * and underscores, at most 180, so that every file system accepts it. It starts with no dot, which would hide the file,
 * and no dash, which a command line would read as an option.
 */
export const filenameOf = (exportQuery: ExportQuery): string => {
  const { streams, format, numbers, csv_formulas, as_of } = exportQuery;
  const about = aboutOf(exportQuery);
  const contents = exportStreams.filter((stream) => streams.includes(stream)).join('-');
  const options = `${numbers === 'float' ? '_float' : ''}${csv_formulas === 'escape' ? '_escaped' : ''}`;
  const time = as_of === undefined ? '' : `_as-of-${as_of}`;
  return `${about}_${contents}${options}${time}.${exportFormats[format].extension}`;
};

const aboutOf = ({ event, ticker, series, day, from, to, events, tickers }: ExportQuery): string => {
  const days = day ?? (from === undefined ? null : `${from}_${to}`);
  if (days !== null) return `${safe(series ?? 'series')}_${days}`;
  const list = events ?? tickers;
  if (list === undefined) return safe(ticker ?? event ?? 'export');
  return `${safe(list[0] ?? 'export')}_and_${list.length - 1}_more`;
};

/** Windows treats these names as devices, whatever follows the first dot: `CON.2026_l2.csv` cannot be a file there. */
const device = /^(con|prn|aux|nul|com\d|lpt\d)(?=\.)/i;

const safe = (id: string): string =>
  id
    .replaceAll(/[^A-Za-z0-9._-]/g, '_')
    .replace(/^[.-]+/, '_')
    .replace(device, '$1_')
    .slice(0, idCharactersMax);
