import { EngineError } from './errors.js';
import { tokensOf } from './tokens.js';

/** Values as they come in `param_<name>`: ClickHouse's Escaped text (`\t`, `\\`, `\N` for NULL). */
export type BoundValues = ReadonlyMap<string, string>;

const slot = /\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*:\s*([^{}]+?)\s*\}/y;

/**
 * Puts bound values into their `{name:Type}` places as typed literals. The engine's own binding is not used
 * because its state is one for the whole process: two bound queries at the same time spoil each other, so
 * the package runs them one after another.
 */
export const bindValues = (sql: string, values: BoundValues): string => {
  if (!sql.includes('{')) return sql;
  let bound = '';
  let copied = 0;
  for (const token of tokensOf(sql)) {
    if (token.text !== '{' || token.start < copied) continue;
    slot.lastIndex = token.start;
    const found = slot.exec(sql);
    const [whole, name, type] = found ?? [];
    if (whole === undefined || name === undefined || type === undefined) continue;
    const value = values.get(name);
    if (value === undefined) {
      throw new EngineError(456, 'UNKNOWN_QUERY_PARAMETER', `Substitution \`${name}\` is not set.`);
    }
    bound += sql.slice(copied, token.start) + literal(value, type);
    copied = token.start + whole.length;
  }
  return bound + sql.slice(copied);
};

/** True where a bound name, not only a value, decides what a statement reads. */
export const bindsNames = (sql: string): boolean => /:\s*Identifier\s*\}/i.test(sql);

const literal = (escaped: string, type: string): string => {
  if (escaped === '\\N') return `_CAST(NULL, ${quote(type)})`;
  // Compound types quote the strings inside of them, so theirs is the inner escape.
  const value = /^(Array|Tuple|Map|Nested)\b/i.test(type) ? escaped : unescape(escaped);
  if (type.toLowerCase() === 'identifier') return value.split('.').map(quoteName).join('.');
  if (type === 'String') return quote(value);
  return `_CAST(${quote(value)}, ${quote(type)})`;
};

const escapes: Readonly<Record<string, string>> = { t: '\t', n: '\n', r: '\r', b: '\b', f: '\f', '0': '\0' };

const unescape = (value: string): string =>
  value.includes('\\') ? value.replace(/\\([\s\S])/g, (_, sign: string) => escapes[sign] ?? sign) : value;

export const quote = (value: string): string => `'${value.replace(/[\\']/g, '\\$&')}'`;

const quoteName = (name: string): string => `\`${name.replace(/[\\`]/g, '\\$&')}\``;
