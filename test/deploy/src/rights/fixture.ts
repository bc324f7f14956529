import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type ProcessName, processNames } from '@almanac/contracts';
import type { ServerStarters } from '@almanac/local-servers';
import { environmentOf, type Infrastructure, loadSecrets, type Secrets, startInfrastructure } from '@almanac/operator';
import { testServers } from '@almanac/testing';

/** The servers of a whole system with all their users, and the credentials of each service. */
export interface RightsFixture {
  readonly infrastructure: Infrastructure;
  readonly secrets: Secrets;
  /** The environment of a service with its credentials. */
  environmentOf(service: ProcessName): NodeJS.ProcessEnv;
  stop(): Promise<void>;
}

/** A user with all permissions, which the system itself does not have. */
export const redisOperator = { user: 'operator', password: 'of-this-test', rules: ['~*', '&*', '+@all'] };

export const startRightsFixture = async (): Promise<RightsFixture> => {
  const home = await mkdtemp(join(tmpdir(), 'almanac-rights-'));
  const remove = (): Promise<void> => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  try {
    const secrets = await loadSecrets(home);
    const servers = await testServers();
    const redis: ServerStarters['redis'] = ({ users = [], ...options }) =>
      servers.redis({ ...options, users: [...users, redisOperator] });
    const print = (line: string): void => void process.stderr.write(`${line}\n`);
    const infrastructure = await startInfrastructure(home, secrets, { print, servers: { ...servers, redis } });
    return {
      infrastructure,
      secrets,
      environmentOf: (service) => environmentOf(service, { home, infrastructure, secrets, port: 0 }),
      stop: async () => {
        await infrastructure.stop();
        await remove();
      },
    };
  } catch (error) {
    await remove();
    throw error;
  }
};

/** The services with credentials for a server. */
export const servicesAt = (fixture: RightsFixture, variable: string): ProcessName[] =>
  processNames.filter((service) => fixture.environmentOf(service)[variable] !== undefined);

/** A required variable of a service. */
export const environmentVariable = (fixture: RightsFixture, service: ProcessName, variable: string): string => {
  const value = fixture.environmentOf(service)[variable];
  if (value === undefined) throw new Error(`${service} has no ${variable}`);
  return value;
};
