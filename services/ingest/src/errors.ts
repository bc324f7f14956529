/** The message is for the user. */
export class ImportError extends Error {
  override readonly name = 'ImportError';
}

/** The archive did not store a batch, and later ones are not sent. Earlier batches are stored. */
export class ArchiveError extends Error {
  override readonly name = 'ArchiveError';
}

export const sentenceOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
