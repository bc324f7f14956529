import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type ProcessStatus, processStatus } from '@almanac/contracts';
import { allMetrics, type Health, readiness, readSamples } from '@almanac/runtime';
import type { Msg } from '@nats-io/transport-node';
import { z } from 'zod';
import { type Bus, hasNoResponders } from './bus.js';
import { subjects } from './names.js';

/** All packages have the version of the release. */
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')));

const statusOf = async (service: string, health: Health): Promise<ProcessStatus> => {
  const [{ ready, checks, degraded = {} }, samples] = await Promise.all([
    readiness(health),
    readSamples(allMetrics(health)),
  ]);
  return {
    service,
    instance: `${hostname()}/${process.pid}`,
    version,
    started_us: Math.round(performance.timeOrigin * 1_000),
    now_us: Date.now() * 1_000,
    ready,
    checks,
    degraded,
    samples,
  };
};

/** Answers status requests until the connection closes. */
export const serveProcessStatus = (bus: Bus, health: Health, onError: (error: unknown) => void): void => {
  const subscription = bus.nc.subscribe(subjects.status, { callback: (error, message) => void answer(error, message) });
  const answer = async (error: Error | null, message: Msg): Promise<void> => {
    try {
      if (error) throw error;
      const status = await statusOf(bus.user, health);
      if (!subscription.isClosed()) message.respond(JSON.stringify(status));
    } catch (failure) {
      onError(failure);
    }
  };
};

/** A process fails its own checks after 2 s. A process that does not answer within this time is stopped or hangs. */
const answerMs = 3_000;

/** The status of every process, by service and instance. Takes 3 s, because the number of processes is unknown. */
export const queryProcessStatus = async (bus: Bus): Promise<ProcessStatus[]> => {
  const statuses: ProcessStatus[] = [];
  try {
    const answers = await bus.nc.requestMany(subjects.status, '', { strategy: 'timer', maxWait: answerMs });
    for await (const answer of answers) statuses.push(processStatus.parse(answer.json()));
  } catch (error) {
    // No process runs: the server reports no responders.
    if (!hasNoResponders(error)) throw error;
  }
  const order = ({ service, instance }: ProcessStatus): string => `${service} ${instance}`;
  return statuses.toSorted((a, b) => order(a).localeCompare(order(b)));
};
