import assert from 'node:assert/strict';
import { marketsResponse } from '@almanac/contracts';
import type { ApiClient } from '@almanac/test-e2e';

/** A market of the generated archive that is over, with prices, books and trades. */
export const finishedMarket = async (api: ApiClient) => {
  const { markets } = await api.json(marketsResponse, '/markets?series=GENBTC15M&status=finalized&limit=1');
  return markets[0] ?? assert.fail('no market');
};
