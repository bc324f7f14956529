import { DomainError } from '@almanac/contracts';
import type { z } from 'zod';

/** Where a listing goes on, as one opaque token; its parts are checked when it comes back. */
export const encodeCursor = (position: readonly unknown[]): string => tokenOf(position);

/**
 * Throws `invalid_cursor`, with what was sent as `input`, for what no listing of this kind handed out; null and empty
 * mean the beginning. There is one way to write a position, and any other is not ours.
 */
export const decodeCursor = <Position extends z.ZodType>(
  cursor: string | null | undefined,
  position: Position,
): z.output<Position> | null => {
  if (cursor === null || cursor === undefined || cursor === '') return null;
  const { data, error: cause } = position.safeParse(positionIn(cursor));
  if (cause === undefined && tokenOf(data) === cursor) return data;
  throw new DomainError('invalid_cursor', 'not a cursor that this listing gave', { cause, more: { input: cursor } });
};

const tokenOf = (position: unknown): string => Buffer.from(JSON.stringify(position)).toString('base64url');

const positionIn = (cursor: string): unknown => {
  try {
    return JSON.parse(Buffer.from(cursor, 'base64url').toString('utf8'));
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
};
