import { AlmanacError, FileError } from '../errors.js';

export const diskFull = (detail: string, cause?: unknown): FileError =>
  new FileError({
    code: 'disk_full',
    detail,
    remedy: 'Free some space or choose another disk, then download again. What has arrived is not fetched again.',
    cause,
  });

export const codeOf = (error: unknown): string =>
  error instanceof Error && 'code' in error && typeof error.code === 'string' ? error.code : '';

/** The error of a failed call of the file system. Other errors stay as they are. */
export const fileErrorOf = (error: unknown, target: string): unknown => {
  const code = codeOf(error);
  if (error instanceof AlmanacError || !/^E[A-Z]+$/.test(code)) return error;
  if (code === 'ENOSPC' || code === 'EDQUOT') return diskFull(`The disk of ${target} is full.`, error);
  return new FileError({
    code: 'file_unwritable',
    detail: `${target} cannot be written (${code}).`,
    remedy: 'Check the path, and that you may write to its folder.',
    cause: error,
  });
};
