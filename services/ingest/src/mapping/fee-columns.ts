import type { CatalogueFact } from '@almanac/contracts';
import type { NamedAltered } from '../values/altered.js';
import { receiptKnowledge } from '../model/knowledge.js';
import type { MappingFields } from './mapping.js';
import { firstOf, Flaw, readPrice, textReader, type CellOf } from './readers.js';
import { optionalTime } from './time-column.js';

export type SeriesFact = Extract<CatalogueFact, { kind: 'series' }>;

/** The columns of a fee. A text is why the row is refused, one of a few. */
export interface FeeColumns {
  readonly read: (cells: readonly string[], onAltered: (altered: NamedAltered) => void) => SeriesFact | string;
}

const feeReasons = {
  noSeries: 'no series',
  noType: 'no fee_type',
  multiplier: 'fee_multiplier: not a decimal number',
};

/** Null if the rows of the mapping are not fees. */
export const feeColumns = (fields: MappingFields, cellFor: (field: string) => CellOf): FeeColumns | null => {
  const { series, fee_type: type, fee_multiplier: multiplier } = fields;
  if (!type || !series) return null;
  const textOf = (name: string, sources: NonNullable<MappingFields['series']>) => {
    const read = firstOf(sources.map((source) => textReader(source, cellFor(name))));
    return (cells: readonly string[]) => read({ cells, ticker: '', rowUs: null, closeUs: null });
  };
  const [seriesOf, typeOf] = [textOf('series', series), textOf('fee_type', type)];
  const multiplierCell = multiplier ? cellFor('fee_multiplier')(multiplier.column) : null;
  const fromOf = optionalTime('fee_from_ts', fields.fee_from_ts, cellFor);
  const knownOf = optionalTime('known_ts', fields.known_ts, cellFor);

  return {
    read: (cells, onAltered) => {
      const [id, kind] = [seriesOf(cells), typeOf(cells)];
      if (typeof id !== 'string') return id instanceof Flaw ? `series: ${id.reason}` : feeReasons.noSeries;
      if (typeof kind !== 'string') return kind instanceof Flaw ? `fee_type: ${kind.reason}` : feeReasons.noType;
      const text = multiplierCell === null ? '' : (cells[multiplierCell] ?? '').trim();
      const note = (change: Omit<NamedAltered, 'name'>): void => onAltered({ ...change, name: 'fee_multiplier' });
      const factor = multiplier && text !== '' ? readPrice(text, multiplier, { kind: 'value', onAltered: note }) : null;
      if (text !== '' && factor === null) return feeReasons.multiplier;
      const fromUs = fromOf(cells, onAltered);
      const knownUs = knownOf(cells, onAltered);
      if (typeof fromUs === 'string') return fromUs;
      if (typeof knownUs === 'string') return knownUs;
      // Without a receipt, a fee was known when it began at the latest.
      const known =
        knownUs === null && fromUs !== null
          ? ({ known_us: fromUs, basis: 'inferred' } as const)
          : receiptKnowledge(knownUs);
      return { kind: 'series', id, fees: [{ type: kind, multiplier: factor, valid_from_us: fromUs, ...known }] };
    },
  };
};
