import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before } from 'node:test';
import { type Recordings, smallRecordings, writeKalshiCatalogue, writePolymarket } from '@almanac/test-fixtures';
import { describeCatalogueRecordings } from './testing/catalogue-recordings-suite.js';

let folder = '';
let kalshi: Recordings['kalshiCatalogue'];
let polymarket: Recordings['polymarket'];
before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'almanac-catalogues-'));
  kalshi = await writeKalshiCatalogue(join(folder, 'kalshi'), smallRecordings);
  polymarket = await writePolymarket(join(folder, 'polymarket'), smallRecordings);
});
after(() => rm(folder, { recursive: true, force: true }));

describeCatalogueRecordings('generated dumps of both catalogues', {
  skip: false,
  open: () =>
    Promise.resolve({
      ...kalshi,
      kalshi: kalshi.folder,
      polymarket: polymarket.folder,
      updownMarkets: polymarket.updown.markets,
      missingStrikes: polymarket.updown.missingStrikes,
      longStrikes: polymarket.updown.longStrikes,
      tickStartsS: polymarket.tickStartsS,
    }),
});
