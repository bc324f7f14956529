import type { MemoryArchive } from './memory-archive.js';

/** What the archive holds, whatever the order in which it came. */
export const contentOf = ({ things, rows, trades, spans }: MemoryArchive) => {
  const sorted = (entries: Iterable<readonly [string, unknown]>) =>
    Array.from(entries, ([key, value]) => [key, stable(value)] as const).toSorted(([a], [b]) => byText(a, b));
  return { things: sorted(things), rows: sorted(rows), trades: sorted(trades), spans: sorted(spans) };
};

const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

/** Keys in order. The history of a market is a set of statements. */
const stable = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(stable).toSorted((a, b) => byText(JSON.stringify(a), JSON.stringify(b)));
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).map(([key, inner]) => [key, stable(inner)] as const);
  return Object.fromEntries(entries.toSorted(([a], [b]) => byText(a, b)));
};
