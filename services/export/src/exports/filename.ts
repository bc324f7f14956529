import { type ExportQuestion, exportStreams } from '@almanac/contracts';

const nameCharactersMax = 120;

/**
 * Tells a person what is inside: `KXBTC15M-26FEB242330_snapshots-settlement.csv`. Only letters, digits, dot, dash and
 * underscore, and no dot in front, so that every file system takes it and none hides it.
 */
export const filenameOf = (question: ExportQuestion): string => {
  const { event, ticker, series, day, streams, format } = question;
  const subject = day === null ? (ticker ?? event ?? 'export') : `${series ?? 'series'}_${day}`;
  const name = subject.replaceAll(/[^A-Za-z0-9._-]/g, '_').replace(/^\.+/, '_');
  const contents = exportStreams.filter((stream) => streams.includes(stream)).join('-');
  return `${name.slice(0, nameCharactersMax)}_${contents}.${format}`;
};
