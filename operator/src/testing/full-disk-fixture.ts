import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { exportResponse, marketsResponse } from '@almanac/contracts';
import { localServers, type ServerStarters } from '@almanac/local-servers';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { storeGeneratedArchive } from '../archive/store.js';
import { connectOperator, createAccount } from '../operator.js';
import { startSystem, type System } from '../system.js';

const run = promisify(execFile);
const recoversMax = { timeoutMs: 120_000 };

/** A system with an archive, an account, and checks of what it serves. */
export const startFilledSystem = async (home: string, servers: ServerStarters = localServers) => {
  const output: string[] = [];
  const system = await startSystem({ home, port: 0, print: (line) => output.push(line), servers });
  const bus = await connectOperator({ url: system.infrastructure.natsUrl, password: system.secrets.nats.operator });
  const { key } = await createAccount(bus, { plan: 'internal', keyName: 'test' });
  await bus.close();
  await storeGeneratedArchive(system, Math.floor(Date.now() / 1_000));
  const send = async (path: string, init: RequestInit = {}): Promise<{ status: number; body: unknown }> => {
    const headers = { authorization: `Bearer ${key}`, 'content-type': 'application/json' };
    const signal = AbortSignal.timeout(20_000);
    const answer = await fetch(`${system.baseUrls[0]}/api/v1${path}`, { ...init, headers, signal });
    // Every answer is JSON, also an error.
    return { status: answer.status, body: await answer.json() };
  };
  const markets = await eventually(async () => {
    const { body } = await send('/markets?series=GENBTC15M&status=finalized&limit=90');
    return marketsResponse.parse(body).markets.map(({ ticker }) => ticker);
  });
  let used = 0;
  const read = async (): Promise<number> => {
    used += 1;
    const ticker = markets[used % markets.length] ?? assert.fail();
    const answers = await Promise.all([send(`/markets/${ticker}/snapshots?limit=${used}`), send(`/markets/${ticker}`)]);
    return Math.max(...answers.map(({ status }) => status));
  };
  /** Creates a key, and revokes it again, because their number is limited. */
  const write = async (): Promise<{ status: number; body: unknown }> => {
    const answer = await send('/keys', { method: 'POST', body: JSON.stringify({ name: randomUUID() }) });
    if (answer.status === 200)
      await send(`/keys/${z.object({ id: z.string() }).parse(answer.body).id}`, { method: 'DELETE' });
    return answer;
  };
  const exportMarket = async (): Promise<void> => {
    used += 1;
    const body = JSON.stringify({ ticker: markets[used % markets.length], format: 'jsonl.gz' });
    // Another service notices the space a moment later.
    const { id } = await eventually(async () => {
      const answer = await send('/exports', { method: 'POST', body });
      assert.ok(answer.status < 300, JSON.stringify(answer.body));
      return exportResponse.parse(answer.body);
    }, recoversMax);
    await eventually(async () => {
      assert.equal(exportResponse.parse((await send(`/exports/${id}`)).body).status, 'ready');
    }, recoversMax);
  };
  return { system, output, read, write, exportMarket };
};
export type FilledSystem = Awaited<ReturnType<typeof startFilledSystem>>;

const refusal = z.object({ code: z.literal('unavailable'), detail: z.string().regex(/full|space/) });

/** Reads answer and changes are refused with the reason, for some seconds. */
export const servesReadsOnly = async ({ read, write }: FilledSystem): Promise<void> => {
  await eventually(async () => {
    assert.equal(await read(), 200);
    const { status, body } = await write();
    assert.deepEqual([status, refusal.safeParse(body).success], [503, true], JSON.stringify(body));
  }, recoversMax);
  for (let time = 1; time <= 10; time += 1) {
    assert.equal(await read(), 200);
    const { status, body } = await write();
    assert.equal(status, 503);
    refusal.parse(body);
    await delay(300);
  }
};

export const servesEverything = async ({ read, write, exportMarket }: FilledSystem): Promise<void> => {
  await eventually(async () => {
    assert.equal(await read(), 200);
    assert.equal((await write()).status, 200);
  }, recoversMax);
  await exportMarket();
};

export const doctor = async (home: string): Promise<string> => {
  const program = fileURLToPath(new URL('../almanac.js', import.meta.url));
  const env = { ...process.env, ALMANAC_HOME: home, NATS_URL: '' };
  return run(process.execPath, [program, 'doctor'], { env }).then(
    ({ stdout }) => stdout,
    (error: unknown) =>
      z
        .object({ stdout: z.string(), stderr: z.string() })
        .transform((o) => o.stdout + o.stderr)
        .parse(error),
  );
};

/** Writes zeros until the disk has no space. Returns a function that removes them. */
export const fillDisk = async (folder: string): Promise<() => Promise<void>> => {
  const path = join(folder, 'filler');
  const file = await open(path, 'w');
  for (const size of [1_048_576, 4_096]) {
    const zeros = new Uint8Array(size);
    await assert.rejects(
      async () => {
        for (;;) await file.write(zeros);
      },
      { code: 'ENOSPC' },
    );
  }
  await file.close();
  return () => rm(path);
};

export const pidsOf = ({ services }: System): number[] => [...services.values()].map(({ pid }) => pid);

/** A new disk of 400 MB at `home`, which needs root. */
export const mountDisk = (home: string): Promise<void> =>
  run('mount', ['-t', 'tmpfs', '-o', 'size=400m', 'tmpfs', home]).then(
    () => undefined,
    (error: unknown) =>
      assert.fail(
        `Root cannot mount a tmpfs here. Allow mounts, or run the tests as an ordinary user. ${String(error)}`,
      ),
  );

export const unmountDisk = async (home: string): Promise<void> => {
  await run('umount', [home]);
};
