import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recording } from '@almanac/testing';
import { describeCatalogueRecordings } from './testing/catalogue-recordings-suite.js';
import { importPaths } from './testing/import-files.js';

const kalshi = recording('data/kalshi-catalog');
const polymarket = recording('data/polymarket');

describeCatalogueRecordings('the real dumps of both catalogues', {
  skip: kalshi.skip || polymarket.skip,
  open: () => ({
    kalshi: kalshi.path,
    polymarket: polymarket.path,
    series: 233,
    events: 1_936,
    oldMarkets: 16,
    newMarkets: 46,
    updownMarkets: 292,
    isFeedDescribed: false,
    missingStrikes: 4,
    longStrikes: 251,
    tickStartsS: [1_777_467_000, 1_777_467_300],
    categories: [
      'climate-and-weather',
      'companies',
      'crypto',
      'economics',
      'education',
      'elections',
      'entertainment',
      'financials',
      'health',
      'politics',
      'science-and-technology',
      'social',
      'sports',
      'transportation',
      'world',
    ],
    orphan: { ticker: 'KXFEDMENTION-26MAR-JUDY', series: 'KXFEDMENTION' },
  }),
});

it('a market of the old form takes its category from its event', { skip: kalshi.skip }, async () => {
  const { things } = await importPaths([kalshi.path]);
  assert.partialDeepStrictEqual(things.get('market KXCPICOREYOY-25AUG-T3.3'), {
    series: 'KXCPICOREYOY',
    category: 'economics',
    floor_strike: '3.3',
  });
});
