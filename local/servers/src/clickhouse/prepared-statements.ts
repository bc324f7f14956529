import { binderOf, type BoundValues } from './params.js';
import { parseStatement, type Statement } from './statement.js';

export type PreparedStatement = (values: BoundValues) => Statement;

const cacheMax = 500;
const cachedCharsMax = 16_384;

/** Services send the same few texts with different values, so each text is parsed once. */
export const cachePreparedStatements = (): ((sql: string) => PreparedStatement) => {
  const cache = new Map<string, PreparedStatement>();
  return (sql) => {
    const before = cache.get(sql);
    if (before !== undefined) return before;
    const prepared = prepare(parseStatement(sql));
    if (cache.size >= cacheMax) cache.clear();
    if (sql.length <= cachedCharsMax) cache.set(sql, prepared);
    return prepared;
  };
};

const prepare = (statement: Statement): PreparedStatement => {
  switch (statement.kind) {
    case 'read': {
      const [head, tail] = [binderOf(statement.head), binderOf(statement.tail)];
      return (values) => ({ ...statement, head: head(values), tail: tail(values) });
    }
    case 'insert': {
      // Braces in rows are data. Only VALUES are SQL and can have placeholders.
      const [head, data] = [
        binderOf(statement.head),
        statement.format === 'Values' ? binderOf(statement.data) : undefined,
      ];
      return (values) => ({ ...statement, head: head(values), data: data?.(values) ?? statement.data });
    }
    case 'insert-select': {
      const [sql, select] = [binderOf(statement.sql), binderOf(statement.select)];
      return (values) => ({ ...statement, sql: sql(values), select: select(values) });
    }
    case 'other': {
      const sql = binderOf(statement.sql);
      return (values) => ({ ...statement, sql: sql(values) });
    }
    default:
      throw new TypeError(`Unknown statement ${String(statement satisfies never)}`);
  }
};
