import { EngineError } from './errors.js';

export interface Token {
  readonly kind: 'word' | 'quoted' | 'string' | 'number' | 'sign';
  /** As written. `upper` has words in upper case. */
  readonly text: string;
  readonly upper: string;
  readonly start: number;
  readonly end: number;
}

const blank = /\s+/y;
const lineComment = /(?:--|#!|# )[^\n]*/y;
const word = /[A-Za-z_][A-Za-z0-9_]*/y;
const number = /\d[\w.]*/y;
const string = /'(?:[^'\\]|\\[\s\S]|'')*'/y;
const quoted = /"(?:[^"\\]|\\[\s\S]|"")*"|`(?:[^`\\]|\\[\s\S]|``)*`/y;

/**
 * The tokens of a statement, split like ClickHouse's lexer. They are generated one by one, so that a parser can stop
 * before the data of an INSERT. Syntax that this lexer does not handle identically (a heredoc) is refused, because a
 * difference from the engine could bypass the access rules.
 */
export function* tokensOf(sql: string): Generator<Token, void, undefined> {
  let at = 0;
  while (at < sql.length) {
    const skipped = skip(sql, at);
    if (skipped > at) {
      at = skipped;
      continue;
    }
    const token = tokenAt(sql, at);
    yield token;
    at = token.end;
  }
}

const tokenAt = (sql: string, at: number): Token => {
  for (const [kind, pattern] of [
    ['word', word],
    ['number', number],
    ['string', string],
    ['quoted', quoted],
  ] as const) {
    const text = match(pattern, sql, at);
    if (text !== '')
      return { kind, text, upper: kind === 'word' ? text.toUpperCase() : '', start: at, end: at + text.length };
  }
  const sign = sql.charAt(at);
  if (sign === "'" || sign === '"' || sign === '`') throw syntax(`an unclosed ${sign} at position ${at + 1}`);
  if (sign === '$') throw syntax(`a heredoc at position ${at + 1} is not supported here`);
  return { kind: 'sign', text: sign, upper: '', start: at, end: at + 1 };
};

const skip = (sql: string, at: number): number => {
  const width = match(blank, sql, at).length || match(lineComment, sql, at).length;
  if (width > 0) return at + width;
  return sql.startsWith('/*', at) ? afterComment(sql, at) : at;
};

/** Comments nest in ClickHouse (seen in 26.7). */
const afterComment = (sql: string, start: number): number => {
  let depth = 0;
  for (let at = start; at < sql.length; at += 1) {
    if (sql.startsWith('/*', at)) depth += 1;
    else if (sql.startsWith('*/', at)) depth -= 1;
    else continue;
    at += 1;
    if (depth === 0) return at + 1;
  }
  throw syntax(`an unclosed comment at position ${start + 1}`);
};

const match = (pattern: RegExp, sql: string, at: number): string => {
  pattern.lastIndex = at;
  return pattern.exec(sql)?.[0] ?? '';
};

export const syntax = (what: string): EngineError => new EngineError(62, 'SYNTAX_ERROR', `Syntax error: ${what}.`);
