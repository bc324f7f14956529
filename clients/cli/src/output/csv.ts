/** The items of an answer as CSV (RFC 4180). Fields of inner objects become columns such as `mid_open`. */
export const csvOf = (items: readonly object[]): string[] => {
  const rows = items.map((item) => new Map(fieldsOf('', item)));
  const names = [...new Set(rows.flatMap((row) => [...row.keys()]))];
  if (names.length === 0) return [];
  return [names, ...rows.map((row) => names.map((name) => row.get(name) ?? ''))].map((cells) =>
    cells.map(quoted).join(','),
  );
};

const fieldsOf = (prefix: string, item: object): [string, string][] =>
  Object.entries(item).flatMap(([key, value]: [string, unknown]) => {
    const name = `${prefix}${key}`;
    if (value === null || value === undefined) return [[name, ''] as [string, string]];
    if (Array.isArray(value)) return [[name, JSON.stringify(value)] as [string, string]];
    if (typeof value === 'object') return fieldsOf(`${name}_`, value);
    return [[name, typeof value === 'string' ? value : JSON.stringify(value)] as [string, string]];
  });

const quoted = (text: string): string => (/[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);
