/** What a chart has drawn: times, and values by the name of their series. */
export interface DrawnTable {
  readonly ts: readonly number[];
  readonly series: Readonly<Record<string, readonly unknown[]>>;
  readonly window: { readonly from: number; readonly to: number };
}

const quoted = (text: string): string => (/[",\n\r]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text);

/** Rows of the times in sight that have a value in any chart. Lines that begin with `#` say what they are. */
export const csvOf = (tables: readonly DrawnTable[], remarks: readonly string[]): string => {
  const names = [...new Set(tables.flatMap(({ series }) => Object.keys(series)))];
  const rows = new Map<number, Record<string, unknown>>();
  for (const { ts, series, window } of tables) {
    ts.forEach((time, at) => {
      if (time < window.from || time > window.to) return;
      for (const [name, values] of Object.entries(series)) {
        const value = values[at];
        if (typeof value !== 'number') continue;
        const row = rows.get(time) ?? {};
        row[name] = value;
        rows.set(time, row);
      }
    });
  }
  const lines = [...rows].toSorted(([one], [other]) => one - other).map(([time, row]) => rowOf(time, row, names));
  const head = remarks.map((remark) => `# ${remark.replaceAll(/\s+/g, ' ')}`);
  return `${[...head, ['ts', 'time', ...names].map(quoted).join(','), ...lines].join('\n')}\n`;
};

const rowOf = (ts: number, row: Readonly<Record<string, unknown>>, names: readonly string[]): string =>
  [ts, new Date(ts * 1_000).toISOString(), ...names.map((name) => row[name] ?? '')].map(String).join(',');
