import { isBinaryForm } from '@almanac/contracts';
import { formOptionsOf, marketParams, type PageRequest, paramsOf } from './archive-rows.js';
import { countedRowsSql, headerOf, streamedBinarySql, streamedTextSql, type TextForm } from './form-sql.js';
import type { RowParts, StreamRequest } from './stream-pieces.js';

/** The bulk read of all snapshots of a window. */
export const bulkSnapshots = (
  request: Omit<PageRequest, 'limit'>,
  metadata: StreamRequest['metadata'],
): StreamRequest => {
  const { form } = request;
  const { limit: _limit, ...params } = paramsOf({ ...request, limit: 0 });
  const options = formOptionsOf(request);
  return {
    form,
    header: isBinaryForm(form) ? '' : headerOf(form, options),
    sql: (mark, limit) =>
      isBinaryForm(form) ? streamedBinarySql(form, options) : streamedTextSql(form, { ...options, mark, limit }),
    params: { ...params, ...marketParams(request) },
    metadata,
    countSql: (rowsMax) => countedRowsSql(options.selection, rowsMax),
    ...(!isBinaryForm(form) && !hasLineFeed(request) && { parts: partsOf(form, request) }),
  };
};

/** An id may have a line feed, which then does not end a row of CSV. */
const hasLineFeed = ({ ticker, eventTicker, series }: Omit<PageRequest, 'limit'>): boolean =>
  [ticker, eventTicker ?? '', series ?? ''].some((id) => /[\r\n]/.test(id));

/** A market has one row at a time. With a step, a row is the last one of its step. */
const partsOf = (form: TextForm, { window, stepMs }: Omit<PageRequest, 'limit'>): RowParts => ({
  timeIn: (line) => timeIn(form, line),
  times: { endUs: window.endUs, ...(stepMs > 0 && { stepUs: stepMs * 1_000 }) },
});

/** The time is the first value of a line of JSON, and the fourth of CSV, after three ids that may be quoted or missing. */
const timeIn = (form: TextForm, line: string): number => {
  const pattern =
    form === 'csv' ? /^(?:(?:"(?:[^"]|"")*")?,){3}(\d+)(?:\.(\d{1,6}))?,/ : /^\{"ts":(\d+)(?:\.(\d{1,6}))?,/;
  const [, seconds, fraction = ''] = pattern.exec(line) ?? [];
  if (seconds === undefined) throw new Error('a row has no time');
  return Number(seconds) * 1_000_000 + Number(fraction.padEnd(6, '0'));
};
