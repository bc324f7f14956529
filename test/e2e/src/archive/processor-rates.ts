import { readFile } from 'node:fs/promises';

/** Processor seconds a second of each of these processes while work runs. A wall time tells less on a machine with other work. */
export const processorRates = async <T>(pids: ReadonlyMap<string, number>, work: () => Promise<T>) => {
  const [before, beganAt] = [await secondsOf(pids), performance.now()];
  const result = await work();
  const [after, passedS] = [await secondsOf(pids), (performance.now() - beganAt) / 1_000];
  const rates = [...pids.keys()].map((name) => {
    const used = (after.get(name) ?? 0) - (before.get(name) ?? 0);
    return [name, Number((used / passedS).toFixed(2))] as const;
  });
  return { result, rates: Object.fromEntries(rates) };
};

/** Of Linux. */
const ticksPerSecond = 100;

const secondsOf = async (pids: ReadonlyMap<string, number>): Promise<ReadonlyMap<string, number>> => {
  const seconds = new Map<string, number>();
  for (const [name, pid] of pids) {
    const fields = (await readFile(`/proc/${pid}/stat`, 'utf8')).replace(/^.*\) /s, '').split(' ');
    seconds.set(name, (Number(fields[11]) + Number(fields[12])) / ticksPerSecond);
  }
  return seconds;
};
