import type { Side } from '../model/feed-message.js';
import { copyText } from '../values/copy-text.js';
import type { OutcomeSource } from './mapping.js';
import { Flaw, textReader, type CellOf } from './readers.js';

/** The outcome whose book a row shows, or a text why it is not known. */
export type OutcomeReader = (ticker: string, cells: readonly string[]) => string;

export const isOutcome = (text: string): text is Side => text === 'yes' || text === 'no';

const wrong = 'outcome: neither yes nor no';
const none = 'outcome: missing';
const tooMany = 'outcome: the file has too many markets to remember which they name first';

/** Names of outcomes in memory at once, about 200 bytes each. */
const marketsMax = 200_000;

/** With `first`, the name that a market has in its first row is that outcome, and any other name is the other one. */
export const outcomeReader = (source: OutcomeSource, cellOf: CellOf): OutcomeReader => {
  if (!('first' in source)) {
    const read = textReader(source, cellOf);
    return (ticker, cells) => {
      const outcome = read({ cells, ticker, rowUs: null, closeUs: null });
      if (outcome === null) return none;
      return typeof outcome === 'string' && isOutcome(outcome)
        ? outcome
        : outcome instanceof Flaw
          ? `outcome: ${outcome.reason}`
          : wrong;
    };
  }
  const cell = cellOf(source.column);
  const { first } = source;
  const firstNames = new Map<string, string>();
  return (ticker, cells) => {
    const name = (cells[cell] ?? '').trim();
    if (name === '') return none;
    const known = firstNames.get(ticker);
    if (known === undefined) {
      if (firstNames.size >= marketsMax) return tooMany;
      firstNames.set(copyText(ticker), copyText(name));
      return first;
    }
    return known === name ? first : first === 'yes' ? 'no' : 'yes';
  };
};
