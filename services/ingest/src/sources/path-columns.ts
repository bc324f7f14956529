import type { RowBlock, Source } from './source.js';

/** What Hive and Spark write for a missing value. */
const noValue = '__HIVE_DEFAULT_PARTITION__';

/** The columns that a path in Hive layout states: `venue=kalshi/day=2026-08-10/part-0.parquet`. Of two with one name, the last counts. */
const pathColumns = (path: string): ReadonlyMap<string, string> => {
  const isUrl = /^https?:/i.test(path);
  // The path of a URL is encoded as a whole. Its query is no path.
  const parts = (isUrl ? path.replaceAll(/\?[^/]*/g, '') : path).split('/').slice(0, -1);
  const columns = new Map<string, string>();
  for (const part of isUrl ? parts.map(decoded) : parts) {
    const [, key, value] = /^([^=]+)=(.*)$/s.exec(part) ?? [];
    if (key !== undefined && value !== undefined) columns.set(decoded(key), value === noValue ? '' : decoded(value));
  }
  return columns;
};

const decoded = (text: string): string => {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
};

/**
 * Rows with the columns of their path. A column of the file wins over one of the path with its name. `onDifference` is called for each row
 * in which they differ.
 */
export const withPathColumns = (source: Source, path: string, onDifference: (what: string) => void): Source => {
  const stated = pathColumns(path);
  if (stated.size === 0) return source;
  const inFile = new Set(source.columns);
  const added = Array.from(stated).filter(([name]) => !inFile.has(name));
  const names = added.map(([name]) => name);
  const values = added.map(([, value]) => value);
  const repeated = Array.from(stated).flatMap(([name, value]) => {
    const isOnce = source.columns.indexOf(name) === source.columns.lastIndexOf(name);
    const cell = inFile.has(name) && isOnce ? source.findCell(name) : null;
    return cell === null ? [] : [{ cell, value, what: `the column ${name} differs from ${name}=${value} of the path` }];
  });
  const withValues = ({ rows, lineOf, broken }: RowBlock): RowBlock => {
    for (const { cell, value, what } of repeated)
      for (const row of rows) if ((row[cell] ?? '').trim() !== value) onDifference(what);
    return { rows: values.length === 0 ? rows : rows.map((row) => [...values, ...row]), lineOf, broken };
  };
  return {
    ...source,
    hasCells: false,
    columns: [...names, ...source.columns],
    findCell: (column) => {
      const at = names.indexOf(column);
      if (at >= 0) return at;
      const cell = source.findCell(column);
      return cell === null ? null : cell + names.length;
    },
    blocks: async function* () {
      for await (const block of source.blocks()) yield withValues(block);
    },
  };
};
