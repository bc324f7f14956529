import { appendFile, mkdir, readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { operatorSample, type OperatorSample } from '@almanac/contracts';

const dayS = 86_400;
const fileName = /^\d{4}-\d\d-\d\d\.jsonl$/;

const fileOf = (ts: number): string => `${new Date(ts * 1_000).toISOString().slice(0, 10)}.jsonl`;

/** The samples of a folder, one file for each day of UTC: those of today and yesterday. Others are removed. */
export const sampleFiles = (folder: string) => {
  const keepTwoDays = async (now: number): Promise<readonly string[]> => {
    const names = [fileOf(now - dayS), fileOf(now)];
    const found = (await readdir(folder)).filter((name) => fileName.test(name));
    for (const name of found) if (!names.includes(name)) await rm(join(folder, name), { force: true });
    return names.filter((name) => found.includes(name));
  };
  return {
    read: async (now: number): Promise<OperatorSample[]> => {
      await mkdir(folder, { recursive: true });
      const texts = await Promise.all((await keepTwoDays(now)).map((name) => readFile(join(folder, name), 'utf8')));
      return texts.flatMap((text) => text.split('\n').flatMap(sampleIn));
    },
    append: async (sample: OperatorSample): Promise<void> => {
      await appendFile(join(folder, fileOf(sample.ts)), `${JSON.stringify(sample)}\n`);
      await keepTwoDays(sample.ts);
    },
  };
};

/** A line that a crash cut off is skipped, and so is one of another release that cannot be read. */
const sampleIn = (line: string): OperatorSample[] => {
  if (line === '') return [];
  try {
    const { data } = operatorSample.safeParse(JSON.parse(line));
    return data === undefined ? [] : [data];
  } catch {
    return [];
  }
};
