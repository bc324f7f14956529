// npm run release -- --names: asks npm and PyPI, by their own clients, whether the names of the packages are free.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { repository, run } from '../steps.mjs';
import { npmClients, pythonProject } from './files.mjs';

const timeoutMs = 60_000;

const npmNames = () =>
  npmClients.map(
    (client) => JSON.parse(readFileSync(join(repository, 'clients', client, 'package.json'), 'utf8')).name,
  );
const pythonName = () => /^name = "(.+)"$/m.exec(readFileSync(join(repository, pythonProject), 'utf8'))?.[1];

/** Prints a line for each name: its newest version, or that it is free. */
export const checkNames = async () => {
  for (const name of npmNames()) {
    const version = await answer('npm', ['view', name, 'version'], /E404|404 Not Found/);
    console.log(`npm   ${name}: ${version ?? 'free, if you own its scope'}`);
  }
  const name = pythonName();
  const versions = await answer('python3', ['-m', 'pip', 'index', 'versions', name], /No matching distribution/);
  console.log(`PyPI  ${name}: ${versions?.split('\n')[0] ?? 'free'}`);
};

/** Undefined if the registry knows no such package. */
const answer = async (command, args, missing) => {
  try {
    return (await run(command, args, { what: `Looking up ${args.at(-1)}`, timeoutMs })).trim();
  } catch (error) {
    if (missing.test(error.message)) return undefined;
    throw error;
  }
};
