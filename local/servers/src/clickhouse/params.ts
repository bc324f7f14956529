import { EngineError } from './errors.js';
import { tokensOf } from './tokens.js';

/** Values of `param_<name>` in ClickHouse's Escaped form (`\t`, `\\`, `\N` for NULL). */
export type BoundValues = ReadonlyMap<string, string>;

const slot = /\{\s*([A-Za-z_][A-Za-z0-9_]*)\s*:\s*([^{}]+?)\s*\}/y;

/**
 * Parses the `{name:Type}` placeholders of a text once. The returned function inserts values as typed literals. The
 * engine's own binding is not used, because its state is global: two bound queries at once corrupt each other, so the
 * package runs them one after another.
 */
export const binderOf = (sql: string): ((values: BoundValues) => string) => {
  const places = placesOf(sql);
  if (places.length === 0) return () => sql;
  const rest = sql.slice(places.at(-1)?.end ?? 0);
  return (values) =>
    places.map(({ before, name, type }) => before + literal(valueOf(values, name), type)).join('') + rest;
};

interface Place {
  /** The text between the previous placeholder and this one. */
  readonly before: string;
  readonly name: string;
  readonly type: string;
  readonly end: number;
}

const placesOf = (sql: string): Place[] => {
  const places: Place[] = [];
  if (!sql.includes('{')) return places;
  let copied = 0;
  for (const token of tokensOf(sql)) {
    if (token.text !== '{' || token.start < copied) continue;
    slot.lastIndex = token.start;
    const [placeholder, name, type] = slot.exec(sql) ?? [];
    if (placeholder === undefined || name === undefined || type === undefined) continue;
    const end = token.start + placeholder.length;
    places.push({ before: sql.slice(copied, token.start), name, type, end });
    copied = end;
  }
  return places;
};

const valueOf = (values: BoundValues, name: string): string => {
  const value = values.get(name);
  if (value !== undefined) return value;
  throw new EngineError(456, 'UNKNOWN_QUERY_PARAMETER', `Substitution \`${name}\` is not set.`);
};

/** True if a bound name, not only a value, decides what a statement reads. */
export const bindsNames = (sql: string): boolean => /:\s*Identifier\s*\}/i.test(sql);

const literal = (escaped: string, type: string): string => {
  if (escaped === '\\N') return `_CAST(NULL, ${quote(type)})`;
  // Compound types quote their strings, so the inner value is escaped again.
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
