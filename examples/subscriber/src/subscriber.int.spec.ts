import assert from 'node:assert/strict';
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { appendFile, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type AdminBus, connectBus, durables, ensureStream, subjects, natsAccounts } from '@almanac/bus';
import type { ExportState, StoredEvent } from '@almanac/contracts';
import { eventually, testNats, type TestNats } from '@almanac/testing';
import { z } from 'zod';
import { unixMicros } from '@almanac/runtime';

const program = fileURLToPath(new URL('main.js', import.meta.url));
const password = randomUUID();
const line = z.looseObject({ seq: z.int(), id: z.string(), type: z.string(), subject: z.string() });

describe('the example subscriber to exports', () => {
  let nats: TestNats;
  let bus: AdminBus;
  let folder = '';
  let file = '';
  let child: ChildProcess | undefined;
  const ids: string[] = [];

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-subscriber-'));
    file = join(folder, 'exports.jsonl');
    nats = await testNats({
      accounts: natsAccounts(() => password, { admin: password }),
    });
    bus = await connectBus({ url: nats.url, user: 'admin', password });
    await ensureStream(bus, 'EVT_EXPORT');
  });
  after(async () => {
    child?.kill('SIGKILL');
    await bus.close();
    await nats.stop();
    await rm(folder, { recursive: true, force: true });
  });

  /** Appends events of exports of several accounts, as commerce does. */
  const happen = async (count: number): Promise<void> => {
    for (let n = 0; n < count; n += 1) {
      const [id, account] = [randomUUID(), `account${n % 3}`];
      const state: ExportState = { status: 'abandoned', id, account };
      const about = { id, version: 1, time: unixMicros(), account, data: {}, state } as const;
      const event: StoredEvent<ExportState> = { ...about, type: 'ExportAbandoned' };
      await bus.js.publish(subjects.export(account, id), JSON.stringify(event));
      ids.push(id);
    }
  };
  const start = (into = file): ChildProcess => {
    const env = { PATH: process.env['PATH'], NATS_URL: nats.url, NATS_PASSWORD: password, SUBSCRIBER_FILE: into };
    child = spawn(process.execPath, [program], { env, stdio: ['ignore', 'pipe', 'inherit'] });
    return child;
  };
  const ended = async (one: ChildProcess): Promise<unknown> => (await once(one, 'exit'))[0];
  const written = async () =>
    (await readFile(file, 'utf8').catch(() => ''))
      .split('\n')
      .slice(0, -1)
      .map((text) => line.parse(JSON.parse(text)));
  const writtenAll = () =>
    eventually(async () => assert.ok((await written()).length >= ids.length), { timeoutMs: 120_000 });

  it('writes every event once and in order, however often it is killed', async () => {
    await happen(50);
    for (let round = 0; round < 2; round += 1) {
      const before_ = (await written()).length;
      const one = start();
      const exited = ended(one);
      await Promise.all([
        happen(60),
        // Kills it at a random point of its work.
        eventually(async () => assert.ok((await written()).length > before_ + 10), { timeoutMs: 60_000 }),
      ]);
      one.kill('SIGKILL');
      await exited;
    }
    start();
    await happen(20);
    await writtenAll();
    const entries = await written();
    assert.deepEqual(
      entries.map(({ id }) => id),
      ids,
    );
    assert.deepEqual(
      entries.map(({ seq }) => seq),
      ids.map((_, index) => index + 1),
    );
  });

  it('removes an incomplete line that a crash left, and writes no redelivered event twice', async () => {
    const exited = child === undefined ? undefined : ended(child);
    child?.kill('SIGTERM');
    assert.equal(await exited, 0);
    await appendFile(file, '{"seq":999,"ty');
    // Every event is delivered again.
    await bus.jsm.consumers.delete('EVT_EXPORT', durables.subscriber);
    await happen(5);
    start();
    await writtenAll();
    assert.deepEqual(
      (await written()).map(({ id }) => id),
      ids,
    );
  });

  it('continues after NATS was unavailable', async () => {
    await nats.restart();
    await eventually(() => bus.jsm.streams.info('EVT_EXPORT'));
    await happen(5);
    await writtenAll();
    assert.deepEqual(
      (await written()).map(({ id }) => id),
      ids,
    );
  });

  it('does not start another file in the middle of the events', async () => {
    const exited = child === undefined ? undefined : ended(child);
    child?.kill('SIGTERM');
    await exited;
    const other = join(folder, 'other.jsonl');
    await writeFile(other, '');
    assert.equal(await ended(start(other)), 1);
    assert.equal(await readFile(other, 'utf8'), '');
  });
});
