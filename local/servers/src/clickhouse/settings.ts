import type { ClickHouseUser } from './access.js';

export interface ServerSettings {
  readonly dir: string;
  readonly port: number;
  readonly users: readonly ClickHouseUser[];
  readonly engineArguments?: readonly string[] | undefined;
}

const variable = 'ALMANAC_LOCAL_CLICKHOUSE';

export const toEnvironment = (settings: ServerSettings): Record<string, string> => ({
  [variable]: JSON.stringify(settings),
});

export const parseSettings = (environment: NodeJS.ProcessEnv): ServerSettings => {
  const text = environment[variable];
  if (text === undefined) throw new Error(`${variable} is not set; startClickHouse() starts this process.`);
  // Written by toEnvironment in the parent process, from the same build.
  return JSON.parse(text) as ServerSettings;
};
