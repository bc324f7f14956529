import { DomainError, type ExportFormatId, type ExportQuery, isEngineFormat } from '@almanac/contracts';
import type { Target } from '../files/target.js';

/** Throws `invalid_input` for a target or streams that the file of an engine cannot have. */
export const checkEngineFormat = (
  { format, streams }: Pick<ExportQuery, 'format' | 'streams'>,
  { ticker }: Target,
): void => {
  if (!isEngineFormat(format)) return;
  const others = streams.filter((stream) => stream !== 'l2' && stream !== 'trades');
  if (others.length > 0) {
    throw invalid(
      `A file in the format ${format} has order books or trades, not ${others.join(' and ')}. ${hint(format)}`,
    );
  }
  if (format === 'tardis_csv' && new Set(streams).size > 1) {
    throw invalid(`Order books and trades have different columns in the format tardis_csv. ${hint(format)}`);
  }
  if (format === 'hftbacktest' && ticker === null) {
    throw invalid('A file in the format hftbacktest has one market. Send its ticker.');
  }
};

const hint = (format: ExportFormatId): string =>
  format === 'tardis_csv' ? 'Send streams with l2 alone or trades alone.' : 'Send streams with l2, trades or both.';

const invalid = (detail: string): DomainError => new DomainError('invalid_input', detail);
