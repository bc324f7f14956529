import { clickHouseServices } from '@almanac/clickhouse';
import { type ProcessName, processNames, type ServiceRow, serviceRows, userNames } from '@almanac/contracts';
import { redisUserNames } from '@almanac/redis';

export const clickHouseUsers = ['migrate', ...clickHouseServices];

const bucketKey = { keys: ['access-key-id', 'secret-access-key'] };

/** A Secret of the chart by its short name. `s3-root` is only that of the trial servers. */
interface ChartSecret {
  readonly keys: readonly string[];
  /** Each value may be empty. */
  readonly mayBeEmpty?: true;
}

const shortName = (from: string): readonly [secret: string, key: string] => {
  const [name = '', key = ''] = from.split('/');
  return [name.replace('almanac-', ''), key];
};

const ofServices = (): Readonly<Record<string, ChartSecret>> => {
  const all = processNames
    .flatMap((name) => Object.values(serviceRows[name].secrets ?? {}))
    .filter(({ mayBeMissing }) => mayBeMissing !== true);
  const groups = Map.groupBy(all, ({ from }) => shortName(from)[0]);
  return Object.fromEntries(
    [...groups].map(([name, variables]) => [
      name,
      {
        keys: variables.map(({ from }) => shortName(from)[1]),
        ...(variables.every(({ isOptional }) => isOptional === true) && { mayBeEmpty: true }),
      },
    ]),
  );
};

export const chartSecrets = (): Readonly<Record<string, ChartSecret>> => ({
  nats: { keys: userNames },
  clickhouse: { keys: clickHouseUsers },
  redis: { keys: redisUserNames },
  ...ofServices(),
  s3: bucketKey,
  's3-slabs': bucketKey,
  's3-root': bucketKey,
});

const chartService = ({ uses, readsPlans, port, folder, secrets = {}, cpu, memory }: ServiceRow) => ({
  uses,
  readsPlans,
  ...(port !== undefined && { port }),
  ...(folder !== undefined && { folder }),
  secrets: Object.entries(secrets).map(([variable, { from, mayBeMissing }]) => {
    const [secret, key] = shortName(from);
    return { variable, secret, key, ...(mayBeMissing === true && { mayBeMissing }) };
  }),
  cpu,
  memory: { reserved: memory[0], most: memory[1] },
});

/** What the templates of k8s/chart range over: Helm reads no TypeScript. */
export const chartTable = (): string => {
  const services = Object.fromEntries(
    processNames.map((name): [ProcessName, unknown] => [name, chartService(serviceRows[name])]),
  );
  const madeBy = 'Made by `npm run deploy:make` from libs/contracts/src/services.ts; do not edit.';
  return `${JSON.stringify({ madeBy, services, secrets: chartSecrets() }, undefined, 2)}\n`;
};
