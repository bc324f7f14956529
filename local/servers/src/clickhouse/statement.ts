import { syntax, tokensOf, type Token } from './tokens.js';

/**
 * A statement, as far as this process must understand it:
 * - `read`: a SELECT. `head` is everything before the FORMAT clause, `tail` everything after the format's name.
 * - `insert`: rows as bytes. `data` is the part of them inside the statement's text; the rest is the request's body.
 * - `insert-select`: rows of a query into a table.
 * - `other`: everything else (SHOW, DESCRIBE, CREATE, ALTER, SYSTEM, …).
 */
export type Statement =
  | { readonly kind: 'read'; readonly head: string; readonly format: string | undefined; readonly tail: string }
  | {
      readonly kind: 'insert';
      readonly table: string;
      readonly head: string;
      readonly format: string;
      readonly data: string;
    }
  | { readonly kind: 'insert-select'; readonly table: string; readonly sql: string; readonly select: string }
  | { readonly kind: 'other'; readonly verb: string; readonly sql: string };

/** Parses one statement. Throws an EngineError for none, for two, and for one that names a file of the server. */
export const parseStatement = (sql: string): Statement => {
  const first = firstWord(sql);
  if (first === 'INSERT') return parseInsert(sql);
  if (first === 'SELECT' || first === 'WITH') return parseRead(sql);
  return { kind: 'other', verb: first, sql: single(sql, [...tokensOf(sql)]) };
};

const firstWord = (sql: string): string => {
  for (const token of tokensOf(sql)) {
    if (token.kind === 'word') return token.upper;
    if (token.text !== '(') break;
  }
  throw syntax('a statement was expected');
};

const parseRead = (sql: string): Statement => {
  const tokens = [...tokensOf(sql)];
  const text = single(sql, tokens);
  refuseFiles(tokens);
  const at = formatClause(tokens);
  const [clause, name] = [tokens[at], tokens[at + 1]];
  if (clause === undefined || name === undefined) return { kind: 'read', head: text, format: undefined, tail: '' };
  return { kind: 'read', head: text.slice(0, clause.start), format: name.text, tail: text.slice(name.end) };
};

/** FORMAT is the last clause, apart from SETTINGS. So a column of that name is not mistaken for it. */
const formatClause = (tokens: readonly Token[]): number =>
  tokens.findLastIndex((token, at) => {
    const after = tokens[at + 2];
    return (
      token.upper === 'FORMAT' &&
      tokens[at + 1]?.kind === 'word' &&
      (after === undefined || after.upper === 'SETTINGS' || after.text === ';')
    );
  });

const parseInsert = (sql: string): Statement => {
  const seen: Token[] = [];
  let depth = 0;
  let table: string | undefined;
  const words = tokensOf(sql);
  for (const token of words) {
    seen.push(token);
    if (token.text === '(') depth += 1;
    if (token.text === ')') depth -= 1;
    if (depth > 0) continue;
    table ??= tableOf(seen);
    if (table === undefined) continue;
    if (token.upper === 'SELECT' || token.upper === 'WITH') return insertSelect(sql, table, token);
    if (token.upper === 'VALUES') return insertRows(sql, { table, clause: token, format: 'Values', dataAt: token.end });
    if (token.upper !== 'FORMAT') continue;
    const { value: name } = words.next();
    if (name === undefined) throw syntax('the name of a format was expected');
    return insertRows(sql, { table, clause: token, format: name.text, dataAt: name.end });
  }
  throw syntax('INSERT needs a table and FORMAT, VALUES or SELECT');
};

/** The table's name, available once the token after it was read. */
const tableOf = (seen: readonly Token[]): string | undefined => {
  const name = seen.slice(seen[2]?.upper === 'TABLE' ? 3 : 2);
  const last = name.at(-1);
  if (last === undefined || name.length < 2 || last.text === '.' || name.at(-2)?.text === '.') return undefined;
  if (name[0]?.upper === 'FUNCTION') throw syntax('INSERT INTO FUNCTION is not supported here');
  return name
    .slice(0, name[1]?.text === '.' ? 3 : 1)
    .map(bare)
    .join('');
};

const bare = (token: Token): string => (token.kind === 'quoted' ? token.text.slice(1, -1) : token.text);

const insertSelect = (sql: string, table: string, select: Token): Statement => {
  const tokens = [...tokensOf(sql)];
  refuseFiles(tokens);
  const text = single(sql, tokens);
  return { kind: 'insert-select', table, sql: text, select: text.slice(select.start) };
};

interface RowsClause {
  readonly table: string;
  readonly clause: Token;
  readonly format: string;
  readonly dataAt: number;
}

const insertRows = (sql: string, { table, clause, format, dataAt }: RowsClause): Statement => {
  const head = sql.slice(0, clause.start);
  refuseFiles([...tokensOf(head)]);
  const data = sql.slice(dataAt).replace(format === 'Values' ? /^\s*|;?\s*$/g : /^[ \t]*;?[ \t]*\r?\n?/, '');
  return { kind: 'insert', table, head, format, data };
};

const refuseFiles = (tokens: readonly Token[]): void => {
  const file = tokens.find(
    (token, at) =>
      (token.upper === 'OUTFILE' || token.upper === 'INFILE') && /^(INTO|FROM)$/.test(tokens[at - 1]?.upper ?? ''),
  );
  if (file !== undefined) throw syntax(`${file.upper} is not allowed over HTTP`);
};

/** The text without a closing semicolon. A second statement is refused, as on the real server. */
const single = (sql: string, tokens: readonly Token[]): string => {
  const at = tokens.findIndex((token) => token.text === ';');
  const end = tokens[at];
  if (end === undefined) return sql;
  if (tokens.slice(at).some((token) => token.text !== ';')) throw syntax('Multi-statements are not allowed');
  return sql.slice(0, end.start);
};
