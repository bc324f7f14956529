// npm run pictures: takes pictures of all screens of the console, and compares them with those that were accepted on this machine.
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { main, repository, StepError } from './steps.mjs';

const pictures = join(repository, '.almanac', 'pictures');
const usage = `Usage: npm run pictures [-- --accept | --documents]

Takes pictures of all screens of the console in three widths and two themes, and compares them with the accepted ones.

  --accept      accepts the pictures of the last run. They stay on this machine, in .almanac/pictures/accepted
  --documents   takes the pictures, and puts those of README.md and docs/tour.md into docs/images`;

const take = () => {
  rmSync(join(pictures, 'differences'), { recursive: true, force: true });
  const args = [join(repository, 'scripts', 'test.mjs'), '--full', join('test', 'console', 'dist', 'pictures')];
  return spawnSync(process.execPath, args, { stdio: 'inherit', cwd: repository }).status ?? 1;
};

const copied = (from, to) => {
  if (!existsSync(from)) throw new StepError('There are no pictures yet. Take them with: npm run pictures');
  cpSync(from, to, { recursive: true });
  console.log(`${readdirSync(from).length} pictures are now in ${to}`);
};

await main(() => {
  const [option, ...others] = process.argv.slice(2);
  if (others.length > 0 || !['--accept', '--documents', undefined].includes(option)) throw new StepError(usage);
  const status = option === '--accept' ? 0 : take();
  if (option === '--accept') copied(join(pictures, 'latest'), join(pictures, 'accepted'));
  if (option === '--documents') copied(join(pictures, 'documents'), join(repository, 'docs', 'images'));
  return status;
});
