import { readFile } from 'node:fs/promises';

/** The memory of a process in megabytes: now, and its peak. 0 where /proc does not tell it, and after its end. */
export const processMemory = async (pid: number | undefined): Promise<{ nowMb: number; mostMb: number }> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const megabytes = (field: string): number => {
    const [, kilobytes = 0] = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status) ?? [];
    return Math.round(Number(kilobytes) / 1_024);
  };
  return { nowMb: megabytes('VmRSS'), mostMb: megabytes('VmHWM') };
};
