/** A file, mapping or argument that cannot be used; the sentence names it and is for the person at the keyboard. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** The archive did not take a batch. Nothing more is sent; what it took before is stored. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

/** The sentence of a thrown thing, for a report. */
export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
