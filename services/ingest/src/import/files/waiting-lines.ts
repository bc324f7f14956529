import { everyChangeUs } from '@almanac/contracts';
import type { FileReport } from '../../intake/report.js';
import type { WaitingFile } from './waiting-files.js';

const number = new Intl.NumberFormat('en-US');
const namedMax = 5;

/** What waits for a market of the import, before it is imported again. */
export const waitingLines = (files: readonly WaitingFile[]): readonly string[] => [
  `${files.length === 1 ? 'A file waits' : `${number.format(files.length)} files wait`} for markets of this import: ${commandOf(files)}`,
];

/** The command that imports files in the way of their first import. */
const commandOf = (files: readonly WaitingFile[]): string => {
  const places = [...new Set(files.map(({ place }) => place))];
  const more = places.length > namedMax ? [`… (${number.format(places.length - namedMax)} more)`] : [];
  return ['npm run import --', ...places.slice(0, namedMax).map(quoted), ...more, ...optionsOf(files)].join(' ');
};

const optionsOf = ([first]: readonly WaitingFile[]): readonly string[] => {
  if (first === undefined) return [];
  const { mapping, sample_us: us, sequence, exact } = first.how;
  return [
    ...(mapping === null ? [] : ['--mapping', quoted(mapping)]),
    ...(us === 1_000_000 ? [] : ['--sample', us === everyChangeUs ? 'every-change' : `${us / 1_000}ms`]),
    ...(sequence === null ? [] : ['--sequence', sequence]),
    ...(exact ? ['--exact'] : []),
  ];
};

const quoted = (text: string): string =>
  /^[\w./:@%+=,-]+$/.test(text) ? text : `'${text.replaceAll("'", String.raw`'\''`)}'`;

/** The last line of a report if a file waits: which, and for what. */
export const stillWaiting = (reports: readonly FileReport[], isDryRun: boolean): readonly string[] => {
  const waiting = reports.filter(({ waitsFor }) => waitsFor.size > 0);
  if (waiting.length === 0) return [];
  const named = waiting.slice(0, namedMax).map(({ file, waitsFor }) => {
    const [first = ''] = waitsFor;
    return `${file} (${first}${waitsFor.size > 1 ? ` and ${number.format(waitsFor.size - 1)} more` : ''})`;
  });
  const more = waiting.length > namedMax ? ` and ${number.format(waiting.length - namedMax)} more files` : '';
  const head = `No source names the market of ids in ${named.join(', ')}${more}.`;
  if (isDryRun) return [head];
  const [they, them] = waiting.length === 1 ? ['The file waits', 'it'] : ['The files wait', 'them'];
  return [`${head} ${they}: the import of the venue's market objects imports ${them} again.`];
};
