// npm start: prepares the checkout, then runs the whole system in the foreground.
import { join } from 'node:path';
import { commandLine } from './command-line.mjs';
import { provision } from './provision.mjs';
import { foreground, main, node24, projectEnvironment, repository } from './steps.mjs';

const usage = `Usage: npm start

Runs the servers and services until Ctrl-C. An empty archive gets generated markets.

  PORT=8080              port of the API; 0 takes a free one
  ALMANAC_HOME=.almanac  folder of all state

Both are environment variables. The other variables are in docs/deploy.md.`;

await main(async () => {
  const given = await commandLine({ command: 'npm start', usage, variables: ['PORT', 'ALMANAC_HOME'] });
  if (given === undefined) return 0;
  await provision({ port: process.env.PORT || '8080' });
  const program = join(repository, 'operator', 'dist', 'main.js');
  return foreground(node24, ['--enable-source-maps', program], projectEnvironment());
});
