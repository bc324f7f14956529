// npm run bench [-- <parts of names>] [--smoke] [--profile FOLDER]: prepares the checkout, then measures the rows
// whose name contains one of the parts. With --smoke it only checks that every row works on this machine: once, with
// little data.
import { join } from 'node:path';
import { provision } from './provision.mjs';
import { foreground, main, node24, projectEnvironment, repository } from './steps.mjs';

await main(async () => {
  if (process.argv.includes('--smoke'))
    console.log('Smoke run: shows that every row works. Its figures are no measurement.');
  await provision();
  const program = join(repository, 'test', 'bench', 'dist', 'main.js');
  return foreground(node24, ['--enable-source-maps', program, ...process.argv.slice(2)], projectEnvironment());
});
