import { readdir, readFile } from 'node:fs/promises';

type Names = ReadonlyMap<number | undefined, string>;

/** Processor seconds a second, of this process (`clients`) and of all that it started. A wall time tells less on a machine with other work. */
export const processorRates = async <T>(names: Names, work: () => Promise<T>) => {
  const [before, beganAt] = [await secondsOf(names), performance.now()];
  const result = await work();
  const [seconds, passedS] = [await secondsOf(names), (performance.now() - beganAt) / 1_000];
  const rates = Object.entries(seconds)
    .map(([name, used]) => [name, Number(((used - (before[name] ?? 0)) / passedS).toFixed(2))] as const)
    .filter(([, rate]) => rate > 0);
  return { result, rates: Object.fromEntries(rates) };
};

const secondsOf = async (names: Names): Promise<Record<string, number>> => {
  const found = new Map<number, ProcessOfSystem>();
  for (const entry of await readdir('/proc')) {
    const one = await processOf(Number(entry));
    if (one !== undefined) found.set(one.pid, one);
  }
  const isOurs = (pid: number): boolean => {
    const parent = found.get(pid)?.parent;
    return pid === process.pid || (parent !== undefined && isOurs(parent));
  };
  const sums: Record<string, number> = {};
  for (const { pid, name, seconds } of found.values()) {
    if (!isOurs(pid)) continue;
    const key = pid === process.pid ? 'clients' : (names.get(pid) ?? name);
    sums[key] = (sums[key] ?? 0) + seconds;
  }
  return sums;
};

interface ProcessOfSystem {
  readonly pid: number;
  readonly name: string;
  readonly parent: number;
  readonly seconds: number;
}

/** Of Linux. */
const ticksPerSecond = 100;

/** Undefined for what is no process, or has ended. */
const processOf = async (pid: number): Promise<ProcessOfSystem | undefined> => {
  if (!Number.isInteger(pid)) return undefined;
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '');
  const [, name, rest] = /^\d+ \((.*)\) (.*)$/s.exec(stat) ?? [];
  if (name === undefined || rest === undefined) return undefined;
  const fields = rest.split(' ');
  return { pid, name, parent: Number(fields[1]), seconds: (Number(fields[11]) + Number(fields[12])) / ticksPerSecond };
};
