import type { FileContext } from '../../intake/file-context.js';

/** Series facts are sent last, when the windows of all markets are known. */
export const recordSeries = async (
  { catalogue, report, series, labels }: FileContext,
  shape: string | null,
): Promise<void> => {
  report.rolling.push(...series.rolling());
  const shaped = new Set(shape === null ? report.rolling : series.all());
  for (const id of new Set([...shaped, ...labels.keys()])) {
    const label = labels.get(id);
    const fact = {
      // A mapping's label is ours, so it never replaces the venue's.
      ...(label !== undefined && { label, derived_label: true }),
      ...(shaped.has(id) && { shape: shape ?? 'rolling' }),
    };
    if (Object.keys(fact).length > 0) await catalogue.add({ kind: 'series', id, ...fact }, () => undefined);
  }
  await catalogue.flush();
};
