import { marketParams, type PageRequest, paramsOf, rowSelectionOf } from './archive-rows.js';
import { headerOf, streamedParquetSql, streamedTextSql } from './form-sql.js';
import type { StreamRequest } from './stream-rows.js';

/** The bulk read of all snapshots of a window. */
export const bulkSnapshots = (
  request: Omit<PageRequest, 'limit'>,
  metadata: StreamRequest['metadata'],
): StreamRequest => {
  const { form, numbers, withBook: withBooks } = request;
  const { limit: _limit, ...params } = paramsOf({ ...request, limit: 0 });
  const options = { selection: rowSelectionOf(request), withBooks, numbers };
  return {
    form,
    header: form === 'parquet' ? '' : headerOf(form, withBooks),
    sql: (mark) => (form === 'parquet' ? streamedParquetSql(options) : streamedTextSql(form, { ...options, mark })),
    params: { ...params, ...marketParams(request) },
    metadata,
  };
};
