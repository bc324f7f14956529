// npm start: prepares the checkout, then runs the whole system in the foreground.
import { join } from 'node:path';
import { provision } from './provision.mjs';
import { foreground, main, node24, projectEnvironment, repository } from './steps.mjs';

await main(async () => {
  await provision({ port: process.env.PORT || '8080' });
  const program = join(repository, 'deploy', 'system', 'dist', 'main.js');
  return foreground(node24, ['--enable-source-maps', program, ...process.argv.slice(2)], projectEnvironment());
});
