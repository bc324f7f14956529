import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { connectBus, rpcClient, type RpcClient } from '@almanac/bus';
import { DomainError, serviceNames, streamsRpc } from '@almanac/contracts';
import type { System } from '@almanac/system';
import { z } from 'zod';

const waitMsMax = 1_800_000;
const pollMs = 1_000;
const requestMsMax = 10_000;

const readiness = z.object({ degraded: z.record(z.string(), z.string()).optional() });

/**
 * Waits until no consumer has a backlog, and no process is degraded. After its first start, catalog copies all markets to
 * its disk. The first rows would be measured beside that work.
 */
export const awaitCaughtUp = async (system: System, signal: AbortSignal): Promise<void> => {
  const { infrastructure, secrets } = system;
  const bus = await connectBus({ url: infrastructure.natsUrl, user: 'gateway', password: secrets.nats.gateway });
  const rpc = rpcClient(bus);
  const deadline = performance.now() + waitMsMax;
  const waitsFor = async (): Promise<string[]> => [...(await backlogOf(rpc)), ...(await degradedIn(system))];
  try {
    for (let reasons = await waitsFor(); reasons.length > 0; reasons = await waitsFor()) {
      if (performance.now() > deadline) throw new Error(`services have not caught up: ${reasons.join('; ')}`);
      await delay(pollMs, undefined, { signal });
    }
  } finally {
    await bus.close();
  }
};

/** The consumers that have one, and the services that are too busy to answer. */
const backlogOf = async (rpc: RpcClient): Promise<string[]> => {
  const found = serviceNames.map(async (service) => {
    try {
      const { consumers } = await rpc.call(streamsRpc[service], { input: {}, context: { requestId: randomUUID() } });
      return consumers.filter((one) => one.waiting + one.in_progress > 0).map(({ consumer }) => consumer);
    } catch (error) {
      if (error instanceof DomainError && error.code === 'unavailable') return [service];
      throw error;
    }
  });
  return (await Promise.all(found)).flat();
};

/** The optional checks that fail, with the reason. */
const degradedIn = async ({ services }: System): Promise<string[]> => {
  const found = Array.from(services, async ([service, { healthPort }]) => {
    const url = `http://127.0.0.1:${healthPort}/readyz`;
    const answer = await fetch(url, { signal: AbortSignal.timeout(requestMsMax) });
    const { degraded = {} } = readiness.parse(await answer.json());
    return Object.entries(degraded).map(([check, reason]) => `${service}, ${check}: ${reason}`);
  });
  return (await Promise.all(found)).flat();
};
