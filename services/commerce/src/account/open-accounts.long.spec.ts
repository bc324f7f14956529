import assert from 'node:assert/strict';
import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { type AdminBus, checkpointSubjects, connectBus, ensureStream, natsAccounts, subjects } from '@almanac/bus';
import { type StreamName, streams } from '@almanac/contracts';
import { eventually, freePort, killableNats, testNumber } from '@almanac/testing';
import { publishLongHistory } from '../testing/long-history.js';

const password = 'test';
const accounts = natsAccounts(() => password, { admin: password });
const eventsN = testNumber('events', 10_000_000);
/** As in a long life: five events of each account. */
const history = { eventsN, accountsN: Math.ceil(eventsN / 5), openN: Math.min(3_000, eventsN) };
const event = { type: 'X', version: 1, time: 1, account: null, data: {}, state: {} };
const minute = 60_000;

/** The same on a busy machine, unlike the time until something is ready. */
const processorSeconds = async (pid: number | undefined): Promise<string> => {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /, '').split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / 100).toFixed(1);
};

describe(`restarts over ${eventsN} events of commerce`, () => {
  let nats: Awaited<ReturnType<typeof killableNats>>;
  let bus: AdminBus;
  let healthPort: number;
  let commerce: ChildProcess | undefined;
  before(async () => {
    nats = await killableNats({ accounts });
    bus = await connectBus({ url: nats.url, user: 'admin', password });
    for (const stream of Object.keys(streams) as StreamName[]) await ensureStream(bus, stream);
    healthPort = await freePort();
  });
  after(async () => {
    await kill();
    await bus.close();
    await nats.stop();
  });

  const start = (): void => {
    const variables = { NATS_URL: nats.url, NATS_USER: 'commerce', NATS_PASSWORD: password, SWEEP_EVERY_S: '1' };
    const env = { ...process.env, NODE_TEST_CONTEXT: undefined, ...variables, HEALTH_PORT: String(healthPort) };
    commerce = fork(fileURLToPath(new URL('../main.js', import.meta.url)), { env, silent: true });
  };
  const kill = async (): Promise<void> => {
    if (commerce === undefined || commerce.exitCode !== null || commerce.signalCode !== null) return;
    const exited = once(commerce, 'exit');
    commerce.kill('SIGKILL');
    await exited;
  };
  const health = (path: string): Promise<Response> => fetch(`http://127.0.0.1:${healthPort}${path}`);
  const untilReady = (): Promise<void> =>
    eventually(async () => assert.ok((await health('/readyz')).ok), { timeoutMs: 20 * minute });
  const openReservations = async (): Promise<number> =>
    Number(/^almanac_reservations_open (\d+)/m.exec(await (await health('/metrics')).text())?.[1]);

  it('every open account is known again after each kill, and the time that this takes is printed', async (test) => {
    await publishLongHistory(bus, history);
    start();
    await untilReady();
    const checkpoint = { last_by_subj: checkpointSubjects.openAccounts };
    await eventually(async () => assert.ok(await bus.jsm.streams.getMessage('EVT_COMMERCE', checkpoint)), {
      timeoutMs: minute,
    });
    const measured = async (what: string, restart: () => Promise<void>): Promise<void> => {
      // The index that nats-server stored at an orderly stop is out of date after one event.
      await bus.js.publish(subjects.unlock('-', 'restart'), JSON.stringify({ ...event, id: what }));
      const beganAt = performance.now();
      await restart();
      await untilReady();
      const seconds = ((performance.now() - beganAt) / 1_000).toFixed(1);
      const natsPid = await readFile(join(nats.dir, 'nats.pid'), 'utf8');
      const status = await readFile(`/proc/${natsPid}/status`, 'utf8');
      const megabytes = Math.round(Number(/^VmHWM:\s+(\d+)/m.exec(status)?.[1]) / 1_024);
      const [ofCommerce, ofNats] = [await processorSeconds(commerce?.pid), await processorSeconds(Number(natsPid))];
      test.diagnostic(
        `${what} killed: ready after ${seconds} s. Since their starts, commerce used ${ofCommerce} s of the processor, ` +
          `nats-server ${ofNats} s and at most ${megabytes} MB`,
      );
      assert.equal(await openReservations(), history.openN);
    };
    await measured('commerce', async () => {
      await kill();
      start();
    });
    await measured('nats-server', async () => {
      await nats.kill();
      await nats.startAgain();
    });
    await measured('both', async () => {
      await Promise.all([kill(), nats.kill()]);
      await nats.startAgain();
      start();
    });
  });
});
