import { DomainError } from '@almanac/contracts';
import type { z } from 'zod';

/** Where a listing goes on, as one opaque token; its parts are checked when it comes back. */
export const encodeCursor = (position: readonly unknown[]): string =>
  Buffer.from(JSON.stringify(position)).toString('base64url');

/** Throws `invalid_input` for what no listing of this kind handed out; null and empty mean the beginning. */
export const decodeCursor = <Position extends z.ZodType>(
  cursor: string | null | undefined,
  position: Position,
): z.output<Position> | null => {
  if (cursor === null || cursor === undefined || cursor === '') return null;
  try {
    return position.parse(JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8')));
  } catch (cause) {
    throw new DomainError('invalid_input', 'The cursor is not one that this listing gave.', { cause });
  }
};
