import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { ConsoleHarness } from './console.js';

export const markup = `<img src=x onerror="document.title='hacked'"><script>document.title='hacked'</script>`;
export const arabic = 'هل سيكون سعر البيتكوين أعلى من ١٠٠ ألف دولار؟';

interface OddMarket {
  readonly ticker: string;
  readonly event_ticker: string;
  readonly title: string;
}

/** Imports a dump of Kalshi's list of markets whose texts are hostile or unusual. */
export const importOddMarkets = async (
  { running }: Pick<ConsoleHarness, 'running'>,
  markets: readonly OddMarket[],
): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-console-odd-'));
  try {
    const dump = { cursor: '', markets: markets.map(marketOf) };
    await writeFile(join(folder, 'markets.json'), JSON.stringify(dump));
    const imported = await running.import(folder);
    assert.equal(imported.code, 0, imported.output);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

const marketOf = ({ ticker, event_ticker, title }: OddMarket) => ({
  ticker,
  event_ticker,
  market_type: 'binary',
  title,
  subtitle: title,
  open_time: '2025-07-16T14:00:00Z',
  close_time: '2026-03-19T14:00:00Z',
  expiration_time: '2026-03-26T14:00:00Z',
  status: 'active',
  result: '',
  can_close_early: true,
  category: markup,
  rules_primary: markup,
});
