import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { type AdminBus, connectBus, ensureStream, natsAccounts } from '@almanac/bus';
import { type ProcessName, type StreamName, streams, type UserName } from '@almanac/contracts';
import { startNats, startRedis, startS3 } from '@almanac/local-servers';
import { type RunningService, startServiceProcess } from '@almanac/operator';
import { z } from 'zod';
import type { BenchFolder } from './row.js';
import { startWorker } from './worker.js';

/** A bus of its own with all streams and simple stores, for single services without the others. */
export interface OwnServices {
  /** May read and write all streams. */
  readonly admin: AdminBus;
  readonly connect: (user: UserName) => Promise<AdminBus>;
  /** Starts a process, which ends with the work. */
  readonly start: (service: ProcessName, environment?: NodeJS.ProcessEnv) => Promise<RunningService>;
}

export const streamNames = Object.keys(streams) as StreamName[];

const password = randomUUID();
const s3Account = { accessKeyId: 'bench', secretAccessKey: password, bucket: 'exports' };

type Undo = () => unknown;

export const withOwnServices = async <T>({ home }: BenchFolder, work: (own: OwnServices) => Promise<T>): Promise<T> => {
  const undo: Undo[] = [];
  try {
    return await work(await startOwnServices(await mkdtemp(join(home, 'own-')), undo));
  } finally {
    for (const step of undo.toReversed()) await step();
  }
};

const startOwnServices = async (dir: string, undo: Undo[]): Promise<OwnServices> => {
  const accounts = natsAccounts(() => password, { admin: password });
  const nats = await startNats({ dir: join(dir, 'nats'), accounts });
  undo.push(() => nats.stop());
  const stores = await startStores(dir, undo);
  const connect = async (user: UserName | 'admin'): Promise<AdminBus> => {
    const bus = await connectBus({ url: nats.url, user, password });
    undo.push(() => bus.close());
    return bus;
  };
  const admin = await connect('admin');
  for (const stream of streamNames) await ensureStream(admin, stream);
  let started = 0;
  const start = async (service: ProcessName, environment: NodeJS.ProcessEnv = {}): Promise<RunningService> => {
    const running = await startServiceProcess({
      service,
      name: `${service}-${(started += 1)}`,
      home: dir,
      environment: {
        ...stores,
        NATS_URL: nats.url,
        NATS_USER: service,
        NATS_PASSWORD: password,
        CLICKHOUSE_USER: service,
        SESSION_SECRET: password,
        WEBHOOK_SECRET: password,
        PORT: '0',
        CATALOG_FOLDER: join(dir, 'catalog'),
        ...environment,
      },
      print: () => undefined,
      stopping: new AbortController().signal,
    });
    undo.push(() => running.stop());
    return running;
  };
  return { admin, connect, start };
};

/** ClickHouse is a server that answers each read after the same time (`slow-store.ts`). */
const startStores = async (dir: string, undo: Undo[]): Promise<NodeJS.ProcessEnv> => {
  const store = startWorker('slow-store');
  undo.push(() => store.stop());
  const { port } = await store.send({}, z.object({ port: z.int() }));
  const redis = await startRedis({ dir: join(dir, 'redis') });
  undo.push(() => redis.stop());
  const objects = await startS3({ dir: join(dir, 's3'), ...s3Account });
  undo.push(() => objects.stop());
  return {
    CLICKHOUSE_URL: `http://127.0.0.1:${port}`,
    REDIS_URL: redis.url,
    S3_ENDPOINT: objects.url,
    S3_BUCKET: s3Account.bucket,
    S3_ACCESS_KEY_ID: s3Account.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3Account.secretAccessKey,
  };
};
