import { setTimeout as delay } from 'node:timers/promises';
import { missingProcesses, queryProcessStatus } from '@almanac/bus';
import type { ProcessStatus } from '@almanac/contracts';
import { moment, table } from '../history/format.js';
import { expectedIn } from '../status/expected.js';
import { type Figures, figureLines, figuresOf } from '../status/figures.js';
import type { CliContext, Command } from './command.js';

const watchMs = 2_000;
/** The shortest time between two queries that gives a meaningful rate. */
const rateMs = 200;

export const status: Command = {
  words: 'status',
  takes: '[--watch]',
  does: 'Shows services, processes, queues and rates per second. --watch repeats until you stop it.',
  options: ['watch'],
  hasSubject: false,
  run: async (cliContext) => {
    const query = () => queryProcessStatus(cliContext.bus, { untilTimeout: false });
    let before = await query();
    await delay(rateMs);
    for (;;) {
      const now = await query();
      showStatus(cliContext, now, figuresOf(before, now));
      if (!cliContext.watch) return;
      before = now;
      await delay(watchMs);
    }
  },
};

const showStatus = (
  { bus, show, watch, environment }: CliContext,
  processes: readonly ProcessStatus[],
  figures: Figures,
): void => {
  const server = bus.nc.info?.version ?? 'unknown';
  const nowMs = Date.now();
  const missing = missingProcesses({ processes, queriedUs: nowMs * 1_000, expected: expectedIn(environment) });
  const item = {
    ts: nowMs / 1e3,
    nats_server: server,
    processes: processes.map((one) => ({ ...one, samples: undefined })),
    missing,
    ...figures,
  };
  const rows: string[][] = processes.map((one) => [
    one.service,
    one.instance,
    one.version,
    sinceText(one),
    stateOf(one),
  ]);
  for (const { service, answering, wanted } of missing)
    rows.push([service, '-', '', '', `missing: ${answering} of ${wanted} answer`]);
  const consumers = figures.consumers.map(({ consumer, waiting, at_work, done_per_s }) => [
    consumer,
    String(waiting),
    String(at_work),
    done_per_s.toFixed(1),
  ]);
  const text = [
    `${moment(nowMs * 1_000)}   nats-server ${server}`,
    table([['SERVICE', 'PROCESS', 'VERSION', 'UP', 'STATE'], ...rows]),
    table(figureLines(figures)),
    table([['CONSUMER', 'WAITING', 'AT WORK', 'DONE/S'], ...consumers]),
  ].join('\n\n');
  show([item], watch ? `${text}\n` : text);
};

const stateOf = ({ ready, checks, degraded }: ProcessStatus): string => {
  const failing = Object.entries({ ...checks, ...degraded }).filter(([, outcome]) => outcome !== 'ok');
  const failures = failing.map(([name, outcome]) => `${name}: ${outcome}`).join('; ');
  const state = ready ? 'ready' : 'not ready';
  return failures === '' ? state : `${state} (${failures})`;
};

const sinceText = ({ started_us, now_us }: ProcessStatus): string => {
  const minutes = Math.floor((now_us - started_us) / 60e6);
  if (minutes < 60) return `${minutes} min`;
  return minutes < 2_880 ? `${Math.floor(minutes / 60)} h` : `${Math.floor(minutes / 1_440)} days`;
};
