import { createHash, type Hash } from 'node:crypto';
import type { ReplyHead } from '@almanac/contracts';

/** What proves that an answer is complete. Only one that has its end gets it. */
export const trailerOf = (hash: Hash, count: number): ReplyHead => ({
  complete: true,
  count,
  sha256: hash.copy().digest('hex'),
});

export type RowTally = ReturnType<typeof rowTally>;

/** What was sent of a text: its hash, its rows and its last line, after which it continues. */
export const rowTally = (header: string) => {
  const hash = createHash('sha256');
  const headerLines = linesIn(Buffer.from(header));
  let lines = 0;
  let bytes = 0;
  let lastLine = '';
  let isAtEnd = true;
  return {
    add: (chunk: Buffer): void => {
      hash.update(chunk);
      bytes += chunk.length;
      lines += linesIn(chunk);
      isAtEnd = chunk.at(-1) === lineFeed;
      if (isAtEnd) lastLine = chunk.toString('utf8', chunk.lastIndexOf(lineFeed, -2) + 1).trimEnd();
    },
    /** Whether the next byte begins a row, so that another query can continue. */
    get isAtEnd() {
      return isAtEnd;
    },
    get bytes() {
      return bytes;
    },
    get isEmpty() {
      return bytes === 0;
    },
    get rows() {
      return Math.max(0, lines - headerLines);
    },
    get lastLine() {
      return lastLine;
    },
    /** The average length of a row. */
    get rowBytes() {
      return bytes / Math.max(1, lines);
    },
    sha256: (): string => hash.copy().digest('hex'),
    trailer: (count: number): ReplyHead => trailerOf(hash, count),
  };
};

const lineFeed = 10;

const linesIn = (bytes: Buffer): number => {
  let count = 0;
  for (let at = bytes.indexOf(lineFeed); at >= 0; at = bytes.indexOf(lineFeed, at + 1)) count += 1;
  return count;
};
