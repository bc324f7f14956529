// npm run images:pin: writes the image variables of .env.example into .env, each with the digest that its tag has now. The
// same .env then gives the same images on every machine. Asks the registries through the client of the engine.
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { commandLine } from './command-line.mjs';
import { StepError, main, repository, run } from './steps.mjs';

const usage = `Usage: npm run images:pin [-- --file FILE]

Pins the images of docker-compose.yml by digest in FILE, by default .env. An image that is pinned gets its tag's new digest.`;

const fileIn = (given) => {
  const at = given.findIndex((argument) => argument.startsWith('--file'));
  return given[at]?.split('=')[1] ?? given[at + 1];
};

const digestOf = async (image) => {
  const args = ['buildx', 'imagetools', 'inspect', '--format', '{{json .Manifest}}', image];
  const { digest } = JSON.parse(await run('docker', args, { what: `Looking up ${image}`, timeoutMs: 60_000 }));
  if (!/^sha256:[\da-f]{64}$/.test(digest)) throw new StepError(`The registry names no digest of ${image}.`);
  return digest;
};

/** Replaces the lines of these variables, or adds them at the end. */
const withValues = (text, values) => {
  let result = text === '' || text.endsWith('\n') ? text : `${text}\n`;
  for (const [variable, value] of values) {
    const line = new RegExp(`^${variable}=.*$`, 'm');
    result = line.test(result) ? result.replace(line, `${variable}=${value}`) : `${result}${variable}=${value}\n`;
  }
  return result;
};

await main(async () => {
  const given = await commandLine({ command: 'npm run images:pin', usage, valued: ['--file'] });
  if (given === undefined) return 0;
  const file = fileIn(given) ?? join(repository, '.env');
  const example = readFileSync(join(repository, '.env.example'), 'utf8');
  const images = [...example.matchAll(/^#(\w+_IMAGE)=(\S+)$/gm)];
  const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
  const pinned = [];
  for (const [, variable, image] of images) {
    // A tag that someone chose in the file stays.
    const chosen = new RegExp(`^${variable}=([^@\\n]+)`, 'm').exec(text)?.[1] ?? image;
    pinned.push([variable, `${chosen}@${await digestOf(chosen)}`]);
  }
  writeFileSync(file, withValues(text, pinned), { mode: 0o600 });
  for (const [variable, image] of pinned) console.log(`${variable}=${image}`);
  return 0;
});
