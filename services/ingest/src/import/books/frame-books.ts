import type { Rebuild } from '../../books/rebuild.js';
import { everySequence, type SequenceRule } from '../../books/sequence-rules.js';
import type { Hours } from './hours.js';
import type { BooksWork } from './import-books.js';
import type { ScannedFrames } from './scan-frames.js';

/** The books of a file of frames can go on in the next one. */
export interface SharedFeed {
  readonly frames: ScannedFrames;
  readonly hours: Hours;
  rebuild: Rebuild | null;
}

/** A longer silence may hide a loss, unless numbers exclude it. */
const silenceUs = 600_000_000;

/** How the books of a file of frames are rebuilt: after those of the file before, by what all files show of their numbers. */
export const frameBooks = (
  { frames: { sequences }, rebuild }: SharedFeed,
  file: string,
  rule: SequenceRule | undefined,
): NonNullable<BooksWork['books']> => ({
  sequences: {
    ruleOf: (sid) => rule ?? sequences.ruleOf(file, sid),
    isLost: (from, to) => sequences.isLost(file, from, to),
  },
  silenceUs,
  after: rebuild,
});

/** Hours have no numbers. A market can be silent for hours, and a silence of all markets is found before. */
export const hourBooks = ({ rebuild }: Hours): NonNullable<BooksWork['books']> => ({
  sequences: everySequence('none'),
  isCut: true,
  after: rebuild,
});
