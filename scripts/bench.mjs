// npm run bench [-- <parts of names>] [--profile FOLDER]: prepares the checkout, then measures the rows whose name holds
// one of the parts.
import { join } from 'node:path';
import { provision } from './provision.mjs';
import { foreground, main, node24, projectEnvironment, repository } from './steps.mjs';

await main(async () => {
  await provision();
  const program = join(repository, 'test', 'bench', 'dist', 'main.js');
  return foreground(node24, ['--enable-source-maps', program, ...process.argv.slice(2)], projectEnvironment());
});
