// What can be checked before anything is fetched or built: the port, the disk and the tools.
import * as fs from 'node:fs';
import { createServer } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { StepError } from './steps.mjs';

/** Throws a StepError with one sentence for each fault. `needs` are `{folder, megabytes, what}`. */
export const preflight = async ({ port, tools, needs }) => {
  const faults = [toolsFault(tools), ...diskFaults(needs), await portFault(port)];
  const found = faults.filter((fault) => fault !== undefined);
  if (found.length > 0) throw new StepError(found.join('\n'));
};

export const isInPath = (name, folders = (process.env.PATH ?? '').split(delimiter)) =>
  folders.some((folder) => {
    try {
      fs.accessSync(join(folder || '.', name), fs.constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });

const toolsFault = (tools) => {
  const missing = tools.filter(({ tool }) => !isInPath(tool));
  if (missing.length === 0) return undefined;
  const names = missing.map(({ tool }) => tool).join(', ');
  const [{ why }] = missing;
  return `Missing in the PATH: ${names}. ${why}`;
};

/** Needs on one file system are added up. `spaceOf` returns `{device, freeMegabytes}`, or undefined if unknown. */
export const diskFaults = (needs, spaceOf = spaceIn) => {
  const byDevice = new Map();
  for (const need of needs) {
    const space = spaceOf(need.folder);
    if (space === undefined) continue;
    const { needs: others = [] } = byDevice.get(space.device) ?? {};
    byDevice.set(space.device, { free: space.freeMegabytes, needs: [...others, need] });
  }
  return [...byDevice.values()].flatMap(({ free, needs: these }) => {
    const needed = these.reduce((sum, { megabytes }) => sum + megabytes, 0);
    if (free >= needed) return [];
    const parts = these.map(({ what, megabytes }) => `${megabytes} MB for ${what}`).join(', ');
    return [`The disk of ${these[0].folder} has ${free} MB free, and ${needed} MB are needed: ${parts}.`];
  });
};

const spaceIn = (folder) => {
  // Node 18.0 to 18.14 has no statfs.
  if (fs.statfsSync === undefined) return undefined;
  let existing = folder;
  while (!fs.existsSync(existing)) existing = dirname(existing);
  const { bavail, bsize } = fs.statfsSync(existing);
  return { device: fs.statSync(existing).dev, freeMegabytes: Math.floor((bavail * bsize) / 1_000_000) };
};

/** A port that is not given, not a number or 0 has no fault here. The system parses it. */
const portFault = (port) => {
  if (port === undefined || !/^[1-9]\d*$/.test(port) || Number(port) > 65_535) return undefined;
  return new Promise((done) => {
    const probe = createServer();
    probe.once('error', ({ code }) =>
      done(
        code === 'EADDRINUSE'
          ? `Port ${port} is already in use. Stop the program that uses it, or set PORT to another port.`
          : `Port ${port} cannot be used (${code}). Set PORT to another port.`,
      ),
    );
    probe.listen(Number(port), '127.0.0.1', () => probe.close(() => done(undefined)));
  });
};
