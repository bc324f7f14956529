import { execFile } from 'node:child_process';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { freePort, type RunningProcess, startProcess } from '@almanac/local-servers';
import type { Infrastructure, Secrets } from '@almanac/operator';
import { environmentOf, type KubernetesObject, named, podOf } from '@almanac/test-deploy/kubernetes';
import { z } from 'zod';
import { repository } from './npm-start.js';

const run = promisify(execFile);

/** The program of an image without a command in its pod. */
const imageCommand = async (): Promise<string[]> => {
  const dockerfile = await readFile(join(repository, 'deploy/Dockerfile'), 'utf8');
  return z.array(z.string()).parse(JSON.parse(/^CMD (.*)$/m.exec(dockerfile)?.[1] ?? ''));
};

/** The value of a key of a Secret of the chart, as a local system has it. */
const secretOf = (secrets: Secrets, name: string, key: string): string => {
  const bucketKey = ({ accessKeyId, secretAccessKey }: Secrets['s3']): Readonly<Record<string, string>> => ({
    'access-key-id': accessKeyId,
    'secret-access-key': secretAccessKey,
  });
  const all: Readonly<Record<string, Readonly<Record<string, string>>>> = {
    'almanac-nats': secrets.nats,
    // The local user that changes the schema has another name.
    'almanac-clickhouse': { ...secrets.clickhouse, migrate: secrets.clickhouse.admin },
    'almanac-redis': secrets.redis,
    'almanac-session': { secret: secrets.session },
    'almanac-webhooks': { secret: secrets.webhook, earlier: '' },
    'almanac-stripe': { 'secret-key': '', 'webhook-secret': '' },
    'almanac-s3': bucketKey(secrets.s3),
    'almanac-s3-slabs': bucketKey(secrets.s3Slabs),
    'almanac-s3-root': bucketKey(secrets.s3Root),
  };
  const value = all[name]?.[key];
  if (value === undefined) throw new Error(`there is no ${name}/${key}`);
  return value;
};

export interface ChartPods {
  /** Starts the pod of a service as its probe says. Returns the addresses of its ports by their names. */
  start(name: string): Promise<Readonly<Record<string, string>>>;
  /** Runs the pod of a Job to its end, or another command in a pod. Returns what it wrote. */
  run(name: string, ...command: readonly string[]): Promise<string>;
  /** The folder of a volume of a pod. */
  volume(name: string, mountPath: string): string;
  stop(): Promise<void>;
}

const addresses = ({ natsUrl, clickhouseUrl, redisUrl, s3Url }: Infrastructure): Readonly<Record<string, string>> => ({
  NATS_URL: natsUrl,
  CLICKHOUSE_URL: clickhouseUrl,
  REDIS_URL: redisUrl,
  S3_ENDPOINT: s3Url,
  HEALTH_HOST: '127.0.0.1',
  HOST: '127.0.0.1',
});

interface Local {
  readonly home: string;
  readonly infrastructure: Infrastructure;
  readonly secrets: Secrets;
}

const volumeOf = (home: string, name: string, mountPath: string): string => join(home, 'volumes', name, mountPath);

/** Makes the folders of a pod's volumes, and writes the files of ConfigMaps. Returns how a text names them here. */
const mountVolumes = async (objects: readonly KubernetesObject[], name: string, home: string) => {
  const { container, volumes } = podOf(objects, name);
  for (const mount of container.volumeMounts) {
    const folder = volumeOf(home, name, mount.mountPath);
    await mkdir(folder, { recursive: true });
    const map = z
      .object({ configMap: z.object({ name: z.string() }) })
      .safeParse(volumes.find((one) => one.name === mount.name));
    if (map.success) await writeFiles(objects, map.data.configMap.name, folder);
  }
  // In one pass: the folders of volumes are below /tmp, which is one of the paths.
  const paths = new RegExp(container.volumeMounts.map(({ mountPath }) => mountPath).join('|') || '(?!)', 'g');
  return (text: string): string => text.replaceAll(paths, (mountPath) => volumeOf(home, name, mountPath));
};

/** The process of a pod, or another command in it. */
const processOf = async (
  objects: readonly KubernetesObject[],
  name: string,
  { home, infrastructure, secrets, other = [] }: Local & { readonly other?: readonly string[] },
) => {
  const { container } = podOf(objects, name);
  const here = await mountVolumes(objects, name, home);
  const secretVariables = container.env.flatMap((one): [string, string][] => {
    if ('value' in one) return [];
    const { name: secret, key } = one.valueFrom.secretKeyRef;
    return [[one.name, secretOf(secrets, secret, key)]];
  });
  const given = environmentOf(objects, name);
  const own = Object.entries(addresses(infrastructure)).filter(([variable]) => given[variable] !== undefined);
  const user = given['CLICKHOUSE_USER'] === 'migrate' ? { CLICKHOUSE_USER: 'admin' } : {};
  const stated = Object.entries(given).map(([variable, value]): [string, string] => [variable, here(value)]);
  const variables = new Map([...stated, ...secretVariables, ...own]);
  const env: Readonly<Record<string, string>> = { ...Object.fromEntries(variables), ...user };
  const image = /([\w-]+)[:@][^/]*$/.exec(container.image)?.[1] ?? '';
  const whole = [...(container.command ?? (await imageCommand())), ...container.args];
  const [program = '', ...args] = other.length > 0 ? other : whole;
  const cwd = join(repository, image === 'operator' ? image : `services/${image}`);
  return { command: program === 'node' ? process.execPath : program, args: args.map(here), cwd, env, container };
};

/**
 * Runs the pods of a rendered chart as processes of this machine: their commands, arguments and variables, with other addresses,
 * ports and passwords, and with folders for their volumes.
 */
export const chartPods = (objects: readonly KubernetesObject[], local: Local): ChartPods => {
  const running: RunningProcess[] = [];
  return {
    volume: (name, mountPath) => volumeOf(local.home, name, mountPath),
    start: async (name) => {
      const { command, args, cwd, env, container } = await processOf(objects, name, local);
      const ports = await Promise.all(
        container.ports.map(async (port) => [port.name, `http://127.0.0.1:${await freePort()}`] as const),
      );
      const urls = Object.fromEntries(ports);
      const portOf = (port: string): string => new URL(urls[port] ?? 'http://127.0.0.1').port;
      const { path, port } = z
        .object({ httpGet: z.object({ path: z.string(), port: z.string() }) })
        .parse(container.readinessProbe).httpGet;
      const given = { ...env, HEALTH_PORT: portOf('health'), ...(urls['http'] && { PORT: portOf('http') }) };
      const isReady = async (): Promise<boolean> =>
        (await fetch(`${urls[port]}${path}`, { signal: AbortSignal.timeout(3_000) })).ok;
      const logFile = join(local.home, `${name}.log`);
      running.push(
        await startProcess({ name, command, args, cwd, env: given, logFile, isReady, stopTimeoutMs: 20_000 }),
      );
      return urls;
    },
    run: async (name, ...other) => {
      const { command, args, cwd, env } = await processOf(objects, name, { ...local, other });
      const path = { PATH: `${join(repository, 'node_modules/.bin')}:${process.env['PATH'] ?? ''}` };
      const { stdout } = await run(command, args, { cwd, env: { ...path, ...env }, timeout: 120_000 });
      return stdout;
    },
    stop: async () => {
      await Promise.all(running.map((one) => one.stop()));
    },
  };
};

const writeFiles = async (objects: readonly KubernetesObject[], map: string, folder: string): Promise<void> => {
  const { data } = z.object({ data: z.record(z.string(), z.string()) }).parse(named(objects, 'ConfigMap', map));
  for (const [file, text] of Object.entries(data)) await writeFile(join(folder, file), text);
};
