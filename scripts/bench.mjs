// npm run bench: prepares the checkout, then measures.
import { existsSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine } from './command-line.mjs';
import { provision } from './provision.mjs';
import { foreground, main, node24, projectEnvironment, repository } from './steps.mjs';

const usage = `Usage: npm run bench -- [PART …] [--smoke] [--profiles] [--cpu-profiles FOLDER]

Measures the rows and profiles whose name contains one of the parts. Without a part, it measures all rows in at most 45
minutes, and writes docs/performance.md. Rows are what a user or an operator decides by. Profiles are for developers.

  --smoke                only check that every row and profile works on this machine: once, with little data
  --profiles             list the profiles and what each shows
  --cpu-profiles FOLDER  write CPU profiles of the services to this folder`;

const folder = join(repository, 'test', 'bench');

/** Whether the compiled list of names is that of the sources, so that it can be used before a build. */
const isCompiled = () => {
  const built = join(folder, 'tsconfig.tsbuildinfo');
  if (!existsSync(built) || !existsSync(node24) || !existsSync(join(folder, 'dist', 'list.js'))) return false;
  const { mtimeMs } = statSync(built);
  return readdirSync(join(folder, 'src')).every((file) => statSync(join(folder, 'src', file)).mtimeMs <= mtimeMs);
};

const run = (program, given) =>
  foreground(node24, ['--enable-source-maps', join(folder, 'dist', program), ...given], projectEnvironment());

await main(async () => {
  const options = { options: ['--smoke', '--profiles'], valued: ['--cpu-profiles'], takesNames: true };
  const given = await commandLine({ command: 'npm run bench', usage, ...options });
  if (given === undefined) return 0;
  if (!isCompiled()) await provision();
  const code = await run('list.js', given);
  if (code !== 0 || given.includes('--profiles')) return code;
  if (given.includes('--smoke'))
    console.log('Smoke run: shows that every row and profile works. Its figures are no measurement.');
  // For the rows of the Python client and of the web console.
  await provision({ tools: ['python/python3', 'chromium-headless-shell'] });
  return run('main.js', given);
});
