import assert from 'node:assert/strict';
import { planResponse } from '@almanac/contracts';
import type { ApiClient } from './api.js';

const planOf = (api: ApiClient) => api.json(planResponse, '/plan');

/** When the present UTC day ends. */
export const dayEndOf = async (api: ApiClient): Promise<number> =>
  (await planOf(api)).entitlements.exports_per_day.resets_ts;

interface Usage {
  readonly today: number;
  readonly pending: number;
  readonly credits: number;
}

/** What an account uses. The count of the day is only known until `dayEnd`: then it begins again. */
export const assertUsage = async (api: ApiClient, dayEnd: number, expected: Usage): Promise<void> => {
  const { entitlements, free_export_credit: credit } = await planOf(api);
  const { used, resets_ts } = entitlements.exports_per_day;
  const today = resets_ts === dayEnd ? used : expected.today;
  assert.deepEqual({ today, pending: entitlements.exports_pending.used, credits: credit.used }, expected);
};
