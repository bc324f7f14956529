import { isBinaryForm } from '@almanac/contracts';
import { formOptionsOf, marketParams, type PageRequest, paramsOf } from './archive-rows.js';
import { headerOf, streamedBinarySql, streamedTextSql } from './form-sql.js';
import type { StreamRequest } from './stream-rows.js';

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
    sql: (mark) =>
      isBinaryForm(form) ? streamedBinarySql(form, options) : streamedTextSql(form, { ...options, mark }),
    params: { ...params, ...marketParams(request) },
    metadata,
  };
};
