import { storeGeneratedArchive } from '@almanac/system';
import { startHarness, type SystemHarness } from '@almanac/test-e2e';
import { findFixture, type Fixture } from './every-tool.js';

/** A running system with the generated archive. */
export interface McpHarness extends SystemHarness {
  readonly baseUrl: string;
  readonly fixture: Fixture;
  /** Variables of a server with the key of a new account. */
  variables(plan: Parameters<SystemHarness['key']>[0]): Promise<{ ALMANAC_BASE_URL: string; ALMANAC_API_KEY: string }>;
}

export const startMcpHarness = async (): Promise<McpHarness> => {
  const running = await startHarness();
  await storeGeneratedArchive(running.system, Math.floor(Date.now() / 1_000));
  const baseUrl = running.system.baseUrls[0];
  return {
    ...running,
    baseUrl,
    fixture: await findFixture(baseUrl, await running.key('internal')),
    variables: async (plan) => ({ ALMANAC_BASE_URL: baseUrl, ALMANAC_API_KEY: await running.key(plan) }),
  };
};
