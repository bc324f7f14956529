/**
 * Parses all lines at once. Line feeds are only between the values: inside of texts, JSON escapes them. So commas in
 * their place, between brackets, make an array.
 */
export const parseJsonLines = (lines: Buffer): unknown[] =>
  JSON.parse(`[${lines.toString().trimEnd().replaceAll('\n', ',')}]`) as unknown[];
