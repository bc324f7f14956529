import { readFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { type ProcessStatus, processStatus, userNames } from '@almanac/contracts';
import { allMetrics, type Health, readiness, readSamples, unixMicros } from '@almanac/runtime';
import { createInbox, headers, type Msg } from '@nats-io/transport-node';
import { z } from 'zod';
import type { Bus } from '../bus.js';
import { headerNames, inboxOf, subjects } from '../names.js';
import { metNewerEvents } from '../streams/newer-event.js';
import { servesStatus } from '../rights/rights.js';

/** All packages have the version of the release. */
const { version } = z
  .object({ version: z.string() })
  .parse(JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')));

const statusOf = async (
  bus: Bus,
  health: Health,
  { withMetrics }: Pick<StatusQuery, 'withMetrics'>,
): Promise<ProcessStatus> => {
  const [{ ready, checks, degraded = {} }, samples] = await Promise.all([
    readiness(health),
    withMetrics ? readSamples(allMetrics(health)) : [],
  ]);
  return {
    service: bus.user,
    instance: `${hostname()}/${process.pid}`,
    version,
    started_us: Math.round(performance.timeOrigin * 1_000),
    now_us: unixMicros(),
    ready,
    checks,
    degraded,
    newer_events: metNewerEvents(bus),
    memory_bytes: process.memoryUsage.rss(),
    samples,
  };
};

/** Answers status requests until the connection closes. */
export const serveProcessStatus = (bus: Bus, health: Health, onError: (error: unknown) => void): void => {
  const subscription = bus.nc.subscribe(subjects.status, { callback: (error, message) => void answer(error, message) });
  const answer = async (error: Error | null, message: Msg): Promise<void> => {
    try {
      if (error) throw error;
      if (message.headers?.has(headerNames.announce) === true) message.respond();
      const withMetrics = message.headers?.has(headerNames.withoutMetrics) !== true;
      const status = await statusOf(bus, health, { withMetrics });
      if (!subscription.isClosed()) message.respond(JSON.stringify(status));
    } catch (failure) {
      onError(failure);
    }
  };
};

/** A process fails its own checks after 2 s. A process that does not answer within this time is stopped or hangs. */
const answerMs = 3_000;
/** A process that runs announces itself within this time after the last answer of another one. */
const quietMs = 250;

export interface StatusQuery {
  /**
   * Whether to wait 3 s for processes that hang. Otherwise it ends as soon as each service and each process that
   * announced itself has answered. A hanging process of a service with several is missing then.
   */
  readonly untilTimeout: boolean;
  /** Whether the answers have the metrics of each process. */
  readonly withMetrics: boolean;
}

/** The status of every process, by service and instance. The number of processes is unknown. */
export const queryProcessStatus = async (
  bus: Bus,
  { untilTimeout = true, withMetrics = true }: Partial<StatusQuery> = {},
): Promise<ProcessStatus[]> => {
  const statuses: ProcessStatus[] = [];
  let announced = 0;
  const isComplete = (): boolean =>
    statuses.length >= announced &&
    userNames.every((user) => !servesStatus(user) || statuses.some(({ service }) => service === user));
  const inbox = createInbox(inboxOf(bus.user));
  const answers = bus.nc.subscribe(inbox);
  const end = (): void => answers.unsubscribe();
  const timeout = setTimeout(end, answerMs);
  let quiet: NodeJS.Timeout | undefined;
  const requestHeaders = headers();
  requestHeaders.set(headerNames.announce, '1');
  if (!withMetrics) requestHeaders.set(headerNames.withoutMetrics, '1');
  bus.nc.publish(subjects.status, '', { reply: inbox, headers: requestHeaders });
  try {
    for await (const answer of answers) {
      // No process runs: the server reports no responders.
      if (answer.headers?.code === 503) break;
      if (answer.data.length === 0) announced += 1;
      else statuses.push(processStatus.parse(answer.json()));
      clearTimeout(quiet);
      if (!untilTimeout && isComplete()) quiet = setTimeout(end, quietMs);
    }
  } finally {
    clearTimeout(timeout);
    clearTimeout(quiet);
    end();
  }
  const order = ({ service, instance }: ProcessStatus): string => `${service} ${instance}`;
  return statuses.toSorted((a, b) => order(a).localeCompare(order(b)));
};
