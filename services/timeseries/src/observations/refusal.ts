import { ClickHouseError, isDiskFull, isServerError } from '@almanac/clickhouse';
import { DomainError } from '@almanac/contracts';

/** Error types for values that do not fit their columns. ClickHouse stores nothing of such a batch. */
const badValues = new Set([
  'CANNOT_PARSE_TEXT',
  'CANNOT_PARSE_ESCAPE_SEQUENCE',
  'CANNOT_PARSE_QUOTED_STRING',
  'CANNOT_PARSE_INPUT_ASSERTION_FAILED',
  'CANNOT_READ_ALL_DATA',
  'CANNOT_PARSE_DATE',
  'CANNOT_PARSE_DATETIME',
  'CANNOT_PARSE_NUMBER',
  'CANNOT_PARSE_BOOL',
  'CANNOT_READ_ARRAY_FROM_TEXT',
  'INCORRECT_DATA',
  'ARGUMENT_OUT_OF_BOUND',
  'DECIMAL_OVERFLOW',
  'CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN',
  'VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE',
  'TYPE_MISMATCH',
]);

/** Whether ClickHouse refused an insert for its values. It stored nothing of it. */
export const hasBadValues = (error: unknown): boolean =>
  error instanceof ClickHouseError && error.type !== undefined && badValues.has(error.type);

/** The error of a failed insert for its caller. */
export const refusal = (cause: unknown): unknown => {
  if (isDiskFull(cause)) {
    return new DomainError('unavailable', 'The disk of the archive is full. Free some space, then try again.', {
      cause,
    });
  }
  if (!(cause instanceof ClickHouseError) || isServerError(cause)) {
    return new DomainError('unavailable', 'The archive cannot store data right now. Try again in a few seconds.', {
      cause,
    });
  }
  if (!hasBadValues(cause)) return cause;
  const [, row] = /\(at row (\d+)\)/.exec(cause.message) ?? [];
  const where = row === undefined ? '' : `, first in row ${row}`;
  return new DomainError(
    'invalid_input',
    `The batch has values that do not fit their columns${where}. Nothing was stored.`,
    {
      cause,
    },
  );
};
