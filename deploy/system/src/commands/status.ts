import { setTimeout as delay } from 'node:timers/promises';
import { queryProcessStatus } from '@almanac/bus';
import type { ProcessStatus } from '@almanac/contracts';
import { moment } from '../history/format.js';
import { type Figures, figuresOf } from '../status/figures.js';
import type { CliContext, Command } from './command.js';

const watchMs = 2_000;

export const status: Command = {
  words: 'status',
  takes: '[--watch]',
  does: 'Shows services, processes, queues and rates per second. --watch repeats until you stop it.',
  options: ['watch'],
  hasSubject: false,
  run: async (cliContext) => {
    let before = await queryProcessStatus(cliContext.bus);
    for (;;) {
      const now = await queryProcessStatus(cliContext.bus);
      printStatus(cliContext, now, figuresOf(before, now));
      if (!cliContext.watch) return;
      before = now;
      await delay(watchMs);
      cliContext.print('');
    }
  },
};

const printStatus = ({ bus, print }: CliContext, processes: readonly ProcessStatus[], figures: Figures): void => {
  const server = bus.nc.info;
  print(`${moment(Date.now() * 1_000)}   nats-server ${server?.version ?? 'unknown'}`);
  print('');
  const rows = processes.map((one) => [one.service, one.instance, one.version, sinceText(one), stateOf(one)]);
  for (const line of table([['SERVICE', 'PROCESS', 'VERSION', 'UP', 'STATE'], ...rows])) print(line);
  print('');
  for (const line of table(figures.lines.map(({ what, text }) => [what, text]))) print(line);
  print('');
  const consumers = figures.consumers.map(({ consumer, waiting, atWork, perSecond }) => [
    consumer,
    String(waiting),
    String(atWork),
    perSecond.toFixed(1),
  ]);
  for (const line of table([['CONSUMER', 'WAITING', 'AT WORK', 'DONE/S'], ...consumers])) print(line);
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

/** Columns as wide as their widest cell. */
const table = (rows: readonly (readonly string[])[]): string[] => {
  const widths = (rows[0] ?? []).map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  return rows.map((row) =>
    row
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join('  ')
      .trimEnd(),
  );
};
