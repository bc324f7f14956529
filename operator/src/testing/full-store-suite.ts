import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { localServers, type ServerStarters } from '@almanac/local-servers';
import {
  doctor,
  type FilledSystem,
  pidsOf,
  servesEverything,
  servesReadsOnly,
  startFilledSystem,
} from './full-disk-fixture.js';

/** Needs no root: nats-server gets a limit of its storage, and is full at once. */
export const fullStoreSuite = (): void =>
  void describe('a system whose JetStream has no storage left', { timeout: 600_000 }, () => {
    let home = '';
    let filled: FilledSystem;
    let storeBytesMax: number | undefined;
    before(async () => {
      // nats-server 2.9 would lose sight of streams whose limits exceed its own.
      process.env['NATS_STORAGE_GB'] = '';
      home = await mkdtemp(join(tmpdir(), 'almanac-full-store-'));
      const nats: ServerStarters['nats'] = (options) =>
        localServers.nats({ ...options, ...(storeBytesMax === undefined ? {} : { storeBytesMax }) });
      filled = await startFilledSystem(home, { ...localServers, nats });
      await servesEverything(filled);
    });
    after(async () => {
      await filled.system.stop();
      await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    });

    it('reads, refuses changes with the reason, and recovers once there is storage', async () => {
      const pids = pidsOf(filled.system);
      storeBytesMax = 4_096;
      await filled.system.infrastructure.restart('nats-server', 'nats-server gets a limit.');
      await servesReadsOnly(filled);
      assert.match(await doctor(home), /JetStream is full, so nothing can be changed/);
      storeBytesMax = undefined;
      await filled.system.infrastructure.restart('nats-server', 'nats-server gets no limit.');
      await servesEverything(filled);
      assert.deepEqual(pidsOf(filled.system), pids, filled.output.join('\n'));
    });
  });
