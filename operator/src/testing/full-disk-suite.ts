import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { mkdir, mkdtemp, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connectBus } from '@almanac/bus';
import {
  doctor,
  fillDisk,
  type FilledSystem,
  mountDisk,
  pidsOf,
  servesEverything,
  servesReadsOnly,
  startFilledSystem,
  unmountDisk,
} from './full-disk-fixture.js';

/** For an ordinary user, `fullStoreSuite` fills a JetStream with a storage limit instead. */
const skip = process.getuid?.() === 0 ? false : 'Only root can mount a disk to fill.';

export const fullDiskSuite = (logs: 'on the disk' | 'elsewhere'): void => {
  void describe(`a system on a full disk, with its logs ${logs}`, { skip, timeout: 600_000 }, () => {
    let dir = '';
    let home = '';
    let filled: FilledSystem;
    before(async () => {
      dir = await mkdtemp(join(tmpdir(), 'almanac-full-disk-'));
      home = join(dir, 'home');
      await mkdir(home);
      await mountDisk(home);
      if (logs === 'elsewhere') {
        await mkdir(join(dir, 'logs'));
        await symlink(join(dir, 'logs'), join(home, 'logs'));
      }
      filled = await startFilledSystem(home);
      await servesEverything(filled);
    });
    after(async () => {
      await filled.system.stop();
      await unmountDisk(home);
      await rm(dir, { recursive: true, force: true });
    });

    it('reads, refuses changes with the reason, names the disk in doctor, and recovers by itself', async () => {
      const pids = pidsOf(filled.system);
      const free = await fillDisk(home);
      await servesReadsOnly(filled);
      const report = await doctor(home);
      assert.match(report, new RegExp(`^The disk ${home} has 0 of \\d+ MB left\\.$`, 'm'));
      assert.doesNotMatch(report, /\n\s+at /);
      await free();
      await servesEverything(filled);
      assert.deepEqual(pidsOf(filled.system), pids, filled.output.join('\n'));
    });

    it('recovers by itself after nats-server could not write', async () => {
      const { infrastructure, secrets } = filled.system;
      const free = await fillDisk(home);
      const bus = await connectBus({ url: infrastructure.natsUrl, user: 'keys', password: secrets.nats.keys });
      // Not through the event store, which refuses it before it reaches the server.
      const event = JSON.stringify({ id: 'x', type: 'X', version: 1, time: 1, account: null, data: {}, state: {} });
      const publish = () => bus.js.publish(`evt.keys.${randomUUID()}`, event.padEnd(4_096), { timeout: 2_000 });
      await assert.rejects(async () => {
        for (let n = 0; n < 100; n += 1) await publish();
      });
      await bus.close();
      await free();
      await servesEverything(filled);
    });
  });
};
