import { checkpointSubjects } from '@almanac/bus';
import { type ProcessName, processNames } from '@almanac/contracts';
import { awaitNoReason } from './concurrent.js';
import { publishHistory, skipHistory } from './event-history.js';
import { type OwnServices, withOwnServices } from './own-services.js';
import { median } from './pairs.js';
import { type BenchEntry, type BenchFolder, type Measured, measuredAgainst } from './row.js';

const moreHistory = 100;

type Times = ReadonlyMap<ProcessName, number>;

/** The starts over a history and over 100 times as much. The services ran before, as in an upgrade. */
const starts = (bench: BenchFolder): Promise<Measured> =>
  withOwnServices(bench, async (own) => {
    const { eventsN, runs } = bench.size.starts;
    for (const service of processNames) await startOnce(own, service);
    await addHistory(own, 0, eventsN);
    const few = await medianStarts(own, runs);
    await addHistory(own, eventsN, eventsN * moreHistory);
    const many = await medianStarts(own, runs);
    const found = processNames.map((service) => {
      const [ours, reference] = [many.get(service) ?? Number.NaN, few.get(service) ?? Number.NaN];
      return measuredAgainst(ours, reference, `${service}: ${reference.toFixed(0)} ms, then ${ours.toFixed(0)} ms`);
    });
    const worst = found.reduce((most, one) => (one.ratio > most.ratio ? one : most));
    return { ...worst, notes: found.flatMap(({ notes }) => notes) };
  });

const medianStarts = async (own: OwnServices, runs: number): Promise<Times> => {
  const times = new Map<ProcessName, number>();
  for (const service of processNames) {
    const each: number[] = [];
    for (let run = 0; run < runs; run += 1) each.push(await startOnce(own, service));
    times.set(service, median(each));
  }
  return times;
};

/** Milliseconds from the start of the process until it is ready. */
const startOnce = async (
  { start }: OwnServices,
  service: ProcessName,
  whileRunning: () => Promise<void> = () => Promise.resolve(),
): Promise<number> => {
  const startedAt = performance.now();
  const running = await start(service, { SWEEP_EVERY_S: '1' });
  const ms = performance.now() - startedAt;
  await whileRunning();
  await running.stop();
  return ms;
};

const checkpointEvents = 10_000;

/** With enough new events, commerce stores a checkpoint, which its next start reads. */
const addHistory = async (own: OwnServices, from: number, to: number): Promise<void> => {
  const { admin } = own;
  await publishHistory(admin, from, to);
  await skipHistory(admin);
  if (to - from < checkpointEvents) return;
  const last = { last_by_subj: checkpointSubjects.openAccounts };
  const position = async (): Promise<number> => (await admin.jsm.streams.getMessage('EVT_COMMERCE', last))?.seq ?? 0;
  const before = await position();
  await startOnce(own, 'commerce', () =>
    awaitNoReason(async () => ((await position()) > before ? undefined : 'commerce has not stored a checkpoint')),
  );
};

/** A start reads no history: what a process needs is in a checkpoint, in tables, or read when it is requested. */
export const startRows: readonly BenchEntry[] = [
  {
    name: `start with ${moreHistory} times the history, slowest of the services`,
    gain: 'An operator restarts or upgrades an old system as fast as a new one.',
    against: 'the start with the smaller history',
    threshold: { below: 1.5 },
    unit: 'ms',
    isAlone: true,
    measure: starts,
  },
];
