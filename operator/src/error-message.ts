import { DomainError, operatorSentence } from '@almanac/contracts';

/** An error that the user can fix. The message is one sentence. */
export class UsageError extends Error {}

/** Remedies for a file that cannot be read or written, by error code. */
const remedies: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full. Free some space',
  EDQUOT: 'the disk quota is used up. Free some space',
  EACCES: 'this user has no permission. Change the owner, or set ALMANAC_HOME to another folder',
  EPERM: 'this user has no permission. Change the owner, or set ALMANAC_HOME to another folder',
  EROFS: 'the file system is read-only. Set ALMANAC_HOME to another folder',
  EEXIST: 'a file is in the place of a folder. Move it away',
  ENOTDIR: 'part of its path is not a folder. Set ALMANAC_HOME to another folder',
};

const namesOfSentences = new Set(['LocalServerError', 'PortTakenError', 'ConfigError', 'TlsError']);

/** A known error as one sentence. Any other with its stack. */
export const userMessageOf = (error: unknown): string => {
  if (!(error instanceof Error)) return String(error);
  if (namesOfSentences.has(error.name)) return error.message;
  if (error instanceof DomainError && error.code !== 'internal') return operatorSentence(error);
  const { code, path } = error as NodeJS.ErrnoException;
  const remedy = code === undefined ? undefined : remedies[code];
  if (remedy !== undefined) return `${path ?? 'A file'} cannot be used: ${remedy}.`;
  return error.stack ?? error.message;
};
