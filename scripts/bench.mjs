// npm run bench: prepares the checkout, then measures.
import { join } from 'node:path';
import { commandLine } from './command-line.mjs';
import { provision } from './provision.mjs';
import { foreground, main, node24, projectEnvironment, repository } from './steps.mjs';

const usage = `Usage: npm run bench -- [PART …] [--smoke] [--profile FOLDER]

Measures the rows whose name contains one of the parts. Without a part, it measures all rows but growth in about 45 minutes.

  --smoke           only check that every row works on this machine: once, with little data
  --profile FOLDER  write CPU profiles of the services to this folder`;

await main(async () => {
  const options = { options: ['--smoke'], valued: ['--profile'], takesNames: true };
  const given = await commandLine({ command: 'npm run bench', usage, ...options });
  if (given === undefined) return 0;
  if (given.includes('--smoke')) console.log('Smoke run: shows that every row works. Its figures are no measurement.');
  // For the rows of the Python client and of the web console.
  await provision({ tools: ['python/python3', 'chromium'] });
  const program = join(repository, 'test', 'bench', 'dist', 'main.js');
  return foreground(node24, ['--enable-source-maps', program, ...given], projectEnvironment());
});
