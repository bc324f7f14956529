import { setTimeout as delay } from 'node:timers/promises';
import { askProcesses } from '@almanac/bus';
import type { ProcessStatus } from '@almanac/contracts';
import { moment } from '../history/print.js';
import { type Figures, figuresOf } from '../status/figures.js';
import type { Asked, Command } from './command.js';

const watchMs = 2_000;

export const status: Command = {
  words: 'status',
  takes: '[--watch]',
  does: 'Services with their processes, what waits, and how much is done a second; again and again with --watch.',
  options: ['watch'],
  hasSubject: false,
  run: async (asked) => {
    let before = await askProcesses(asked.bus);
    for (;;) {
      const now = await askProcesses(asked.bus);
      tell(asked, now, figuresOf(before, now));
      if (!asked.watch) return;
      before = now;
      await delay(watchMs);
      asked.say('');
    }
  },
};

const tell = ({ bus, say }: Asked, processes: readonly ProcessStatus[], figures: Figures): void => {
  const server = bus.nc.info;
  say(`${moment(Date.now() * 1_000)}   nats-server ${server?.version ?? 'unknown'}`);
  say('');
  const rows = processes.map((one) => [one.service, one.instance, one.version, sinceText(one), stateOf(one)]);
  for (const line of table([['SERVICE', 'PROCESS', 'VERSION', 'UP', 'STATE'], ...rows])) say(line);
  say('');
  for (const line of table(figures.lines.map(({ what, tells }) => [what, tells]))) say(line);
  say('');
  const consumers = figures.consumers.map(({ consumer, waiting, atWork, perSecond }) => [
    consumer,
    String(waiting),
    String(atWork),
    perSecond.toFixed(1),
  ]);
  for (const line of table([['CONSUMER', 'WAITING', 'AT WORK', 'DONE/S'], ...consumers])) say(line);
};

const stateOf = ({ ready, checks, degraded }: ProcessStatus): string => {
  const unwell = Object.entries({ ...checks, ...degraded }).filter(([, outcome]) => outcome !== 'ok');
  const told = unwell.map(([name, outcome]) => `${name}: ${outcome}`).join('; ');
  const state = ready ? 'ready' : 'not ready';
  return told === '' ? state : `${state} (${told})`;
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
