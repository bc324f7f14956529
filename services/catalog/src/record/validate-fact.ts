import { isValidId } from '@almanac/bus';
import { type CatalogueFact, marketFields } from '@almanac/contracts';
import { storable } from '../tables/rows.js';

/** A sentence with the field that prevents recording a fact. Null: the fact is valid. */
export const rejectionReason = (fact: CatalogueFact): string | null => {
  switch (fact.kind) {
    case 'market':
      return (
        unnameable('ticker', fact.ticker) ??
        unnameable('series', fact.series) ??
        unnameable('event_ticker', fact.event_ticker) ??
        marketFields.times.map((field) => outOfTime(field, fact[field])).find(isPresent) ??
        marketFields.decimals.map((field) => tooPrecise(field, fact[field])).find(isPresent) ??
        observedPrices.map((field) => invalidPrice(field, fact[field])).find(isPresent) ??
        (fact.history ?? []).map(({ known_us }) => outOfTime('known_us', known_us)).find(isPresent) ??
        null
      );
    case 'series':
      return (
        unnameable('id', fact.id) ??
        (fact.fees ?? [])
          .map((fee) => outOfTime('known_us', fee.known_us) ?? outOfTime('valid_from_us', fee.valid_from_us))
          .find(isPresent) ??
        null
      );
    case 'event':
      return unnameable('event_ticker', fact.event_ticker) ?? unnameable('series', fact.series);
  }
};

/** They become the coin prices of a market without others. */
const observedPrices = ['open_price', 'last_price'] as const;

const isPresent = (sentence: string | null): sentence is string => sentence !== null;

/** An id is part of a subject, which limits it to 255 bytes. An empty optional id counts as absent. */
const unnameable = (field: string, id: string | null | undefined): string | null => {
  if (id === null || id === undefined || (id === '' && field !== 'ticker' && field !== 'id')) return null;
  return isValidId(id) ? null : `${field} is no usable id: it is too long or not whole text`;
};

/** The end of 2099, the API's largest time. A later time has the wrong unit. */
const usMax = 4_102_444_800_000_000;

const outOfTime = (field: string, us: number | null | undefined): string | null =>
  us === null || us === undefined || (us >= 0 && us <= usMax) ? null : `${field} is not between 1970 and 2100`;

/** A value that does not fit would stop the read model for all markets. */
const tooPrecise = (field: string, value: string | null | undefined): string | null =>
  value === null || value === undefined || storable.test(value) ? null : `${field} has more digits than can be stored`;

const invalidPrice = (field: string, observed: { price: string; us: number } | null | undefined): string | null =>
  outOfTime(`${field}.us`, observed?.us) ?? tooPrecise(`${field}.price`, observed?.price);
