import { ImportError } from '../errors.js';
import type { Mapping } from '../mapping/mapping.js';
import { onlyRows } from '../mapping/only-rows.js';
import type { Envelope } from './frame-envelope.js';
import type { Source } from '../sources/source.js';

/** Frames in a column of a table, as lines of a recording. */
export interface MappedFrames {
  readonly name: string;
  readonly text: AsyncIterable<string>;
  readonly envelope: Envelope;
}

/** Null if the mapping has no key `frame`. Throws an `ImportError` that names a missing column. */
export const mappedFrames = (given: Source, mapping: Mapping, file: string): MappedFrames | null => {
  const { name, frame } = mapping;
  if (frame === undefined) return null;
  const source = onlyRows(given, mapping, file);
  const cellOf = (column: string, key: string): number => {
    const cell = source.findCell(column);
    if (cell !== null) return cell;
    throw new ImportError(`${file}: the column ${column} is missing. The key ${key} of the mapping ${name} needs it.`);
  };
  const [raw, recv] = [
    cellOf(frame.column, 'frame'),
    frame.received ? cellOf(frame.received.column, 'frame.received') : null,
  ];
  const lineOf = (row: readonly string[]): string =>
    JSON.stringify({ ...(recv !== null && { recv: row[recv] ?? '' }), raw: row[raw] ?? '' });
  return {
    name,
    envelope: {
      frame: 'raw',
      received: frame.received ? { key: 'recv', unit: frame.received.unit ?? 'iso' } : null,
    },
    text: {
      [Symbol.asyncIterator]: async function* () {
        for await (const { rows, broken } of source.blocks()) {
          // A broken row is no frame, and is refused as such.
          const lines = [...rows.map(lineOf), ...broken.map(({ text }) => JSON.stringify(text))];
          if (lines.length > 0) yield `${lines.join('\n')}\n`;
        }
      },
    },
  };
};
