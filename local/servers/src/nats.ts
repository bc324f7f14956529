import { createHash } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { findBinary } from './binaries.js';
import { LocalServerError } from './errors.js';
import { moveStreams } from './move-streams.js';
import { firstLine } from './tcp-request.js';
import { onPort } from './ports.js';
import { startProcess, type RunningProcess } from './process.js';
import { writeConfiguration } from './write-configuration.js';

/** A NATS user and the only subjects it may use. An empty list allows nothing. */
export interface NatsUser {
  readonly user: string;
  readonly password: string;
  readonly publish: readonly string[];
  /** Refused although `publish` matches them. */
  readonly deny?: readonly string[];
  readonly subscribe: readonly string[];
  /** May answer a received request once, on its reply subject. Default false. */
  readonly allowResponses?: boolean;
}

/** A space of subjects of its own, with its logins. Others reach it only as its exports and their imports say. */
export interface NatsAccount {
  readonly users: readonly NatsUser[];
  readonly jetstream?: boolean;
  readonly exports?: readonly { service: string; accounts: readonly string[]; response_type?: 'stream' }[];
  readonly imports?: readonly { account: string; service: string }[];
}

/** Files in PEM form. With `ca_file`, clients need a certificate of that authority. */
export interface NatsTls {
  readonly cert_file: string;
  readonly key_file: string;
  readonly ca_file?: string;
}

export interface NatsOptions {
  /** Configuration, log and JetStream's files, created if missing. One server at a time. */
  readonly dir: string;
  readonly port?: number;
  /** Without users, everybody who reaches the port may do everything. */
  readonly users?: readonly NatsUser[];
  /** In place of `users`: several accounts by name. */
  readonly accounts?: Readonly<Record<string, NatsAccount>>;
  /** Default: none. */
  readonly tls?: NatsTls;
  /** Limit of JetStream's storage. Default: none. */
  readonly storeBytesMax?: number;
  /** Port of the HTTP monitoring. Default: none. */
  readonly monitorPort?: number;
  /** How long to wait for the previous server on the same folder to end. Default 10,000. */
  readonly stillUsedTimeoutMs?: number;
  /** Ends a start that has not finished. */
  readonly stopping?: AbortSignal | undefined;
}

export interface RunningServer extends RunningProcess {
  readonly url: string;
  readonly port: number;
}

/** Starts nats-server (2.9 or later) with JetStream on 127.0.0.1, until it answers. Throws a LocalServerError. */
export const startNats = async (options: NatsOptions): Promise<RunningServer> => {
  const command = await findBinary('nats-server');
  await mkdir(options.dir, { recursive: true });
  await awaitPreviousExit(options.dir, options.stillUsedTimeoutMs ?? 10_000);
  if (options.accounts !== undefined) await moveStreams(options.dir, options.accounts);
  return onPort(options.port, 'nats-server', async (port) => startOn(port, command, options));
};

/** The server answers once it has read all its streams: 2 M messages took 17 s on a busy machine. */
const readyMsMax = 180_000;

const startOn = async (port: number, command: string, options: NatsOptions): Promise<RunningServer> => {
  const { dir } = options;
  // The same at each start on a folder, so that a restart on a full disk needs no new file.
  const serverName = `local-${createHash('sha256').update(`${dir} ${port}`).digest('hex').slice(0, 16)}`;
  const configFile = join(dir, 'nats.conf');
  // It contains passwords.
  await writeConfiguration(configFile, configuration({ ...options, port, serverName }));
  const child = await startProcess({
    name: 'nats-server',
    command,
    args: ['-c', configFile],
    port,
    logFile: join(dir, 'nats.log'),
    readyTimeoutMs: readyMsMax,
    stopping: options.stopping,
    // On SIGTERM the server writes the consumers' acknowledgements to disk.
    orphanSignal: 'SIGTERM',
    // Another server may have taken the port meanwhile, so check that ours answers.
    isReady: () => acceptsNatsClients(port, serverName),
  });
  return { ...child, port, url: `nats://127.0.0.1:${port}` };
};

/**
 * Whether the nats-server of this name accepts clients at this port of 127.0.0.1. Its monitoring port answers earlier.
 * Rejects while nothing listens.
 */
export const acceptsNatsClients = async (port: number, serverName: string): Promise<boolean> =>
  (await firstLine(port)).includes(`"server_name":"${serverName}"`);

/**
 * No limit in practice. The server's own default, a share of the free disk, is lower at a later start on a fuller disk.
 * nats-server 2.9 then loses sight of streams whose limits exceed it.
 */
const unlimitedBytes = 1e12;

/** NATS configuration is a superset of JSON. Use only settings that 2.9 knows. */
const configuration = (options: NatsOptions & { port: number; serverName: string }): string =>
  JSON.stringify(
    {
      server_name: options.serverName,
      listen: `127.0.0.1:${options.port}`,
      pid_file: join(options.dir, 'nats.pid'),
      ...(options.monitorPort === undefined ? {} : { http: `127.0.0.1:${options.monitorPort}` }),
      max_payload: 1_048_576,
      ...(options.tls === undefined ? {} : { tls: { ...options.tls, verify: options.tls.ca_file !== undefined } }),
      // nats-server adds a subfolder `jetstream`.
      jetstream: {
        store_dir: options.dir,
        max_file_store: options.storeBytesMax ?? unlimitedBytes,
      },
      ...(options.users === undefined ? {} : { authorization: natsAuthorization(options.users) }),
      ...(options.accounts === undefined ? {} : natsAccountsBlock(options.accounts)),
    },
    undefined,
    2,
  );

export const natsAuthorization = (users: readonly NatsUser[]): { users: object[] } => ({
  users: users.map(authorization),
});

/** The setting `accounts` of nats-server. */
export const natsAccountsBlock = (accounts: Readonly<Record<string, NatsAccount>>): object => ({
  accounts: Object.fromEntries(
    Object.entries(accounts).map(([name, { users, jetstream, exports = [], imports = [] }]) => [
      name,
      {
        ...(jetstream === true ? { jetstream: 'enabled' } : {}),
        ...natsAuthorization(users),
        exports,
        imports: imports.map(({ account, service: subject }) => ({ service: { account, subject } })),
      },
    ]),
  ),
});

const authorization = (user: NatsUser): object => ({
  user: user.user,
  password: user.password,
  permissions: {
    publish: onlyThese(user.publish, user.deny),
    subscribe: onlyThese(user.subscribe),
    ...(user.allowResponses === true ? { allow_responses: true } : {}),
  },
});

/** nats-server treats an empty allow list as no list, which would allow everything. */
const onlyThese = (subjects: readonly string[], refused: readonly string[] = []): object => {
  if (subjects.length === 0) return { deny: ['>'] };
  return refused.length === 0 ? { allow: subjects } : { allow: subjects, deny: refused };
};

/** A server whose parent was killed needs a moment to end. Two on one folder would ruin it (2.9 has no lock). */
const awaitPreviousExit = async (dir: string, timeoutMs: number): Promise<void> => {
  const deadline = performance.now() + timeoutMs;
  for (;;) {
    const pid = await runningOn(dir);
    if (pid === undefined) return;
    const leftMs = deadline - performance.now();
    if (leftMs < 0)
      throw new LocalServerError(`Another nats-server (process ${pid}) still uses ${dir}. Stop it first.`);
    // An orphan already got its signal. If it cannot end, for example on a full disk, it is killed.
    if (leftMs < timeoutMs / 2 && (await isOrphan(pid))) process.kill(Number(pid), 'SIGKILL');
    await pause(50);
  }
};

const runningOn = async (dir: string): Promise<string | undefined> => {
  const pid = (await readOr(join(dir, 'nats.pid'), '')).trim();
  if (pid === '') return undefined;
  // The number may belong to another program by now. Without /proc the server counts as ended.
  const commandLine = await readOr(`/proc/${pid}/cmdline`, '');
  return commandLine.includes(join(dir, 'nats.conf')) ? pid : undefined;
};

const isOrphan = async (pid: string): Promise<boolean> => /^PPid:\s*1$/m.test(await readOr(`/proc/${pid}/status`, ''));

const readOr = async (path: string, missing: string): Promise<string> => {
  try {
    return await readFile(path, 'utf8');
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ESRCH')) {
      return missing;
    }
    throw error;
  }
};
