// The files of a release besides the images: packages of npm, a wheel, the chart and the notes.
import { createHash } from 'node:crypto';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { StepError, binaries, projectEnvironment, repository, run } from '../steps.mjs';

/** Folders of `clients/` that are packages of npm. The console is in the image of the gateway. */
export const npmClients = ['typescript', 'cli', 'mcp'];
export const pythonProject = join('clients', 'python', 'pyproject.toml');

const manifestOf = (folder) => JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));

/**
 * Packs what a package has in its `files`, as it is to be published: its version of another client instead of the workspace, and
 * neither what only the checkout needs, nor the mark that keeps the checkout from being published by mistake.
 */
export const packNpm = async (client, { packageManager, folder }) =>
  inTemporaryFolder(async (work) => {
    const source = join(repository, 'clients', client);
    const pack = ['--yes', packageManager, '--dir', source, 'pack', '--pack-destination', work];
    await run('npx', pack, { what: `Packing ${client}`, env: projectEnvironment() });
    await run('tar', ['-xzf', join(work, tarballIn(work)), '-C', work], { what: `Unpacking ${client}` });
    const staged = join(work, 'package');
    const { private: _, devDependencies: __, ...manifest } = manifestOf(staged);
    writeFileSync(join(staged, 'package.json'), `${JSON.stringify(manifest, undefined, 2)}\n`);
    const packed = await run('npm', ['pack', '--silent', '--ignore-scripts', '--pack-destination', folder], {
      what: `Packing ${client}`,
      cwd: staged,
    });
    return packed.trim();
  });

const tarballIn = (folder) => readdirSync(folder).find((name) => name.endsWith('.tgz'));

/** A wheel of the Python client, built in a copy, since setuptools writes into the folder that it builds. */
export const packWheel = async ({ folder, changedAt }) =>
  inTemporaryFolder(async (work) => {
    cpSync(join(repository, 'clients', 'python'), work, { recursive: true });
    cpSync(join(repository, 'LICENSE'), join(work, 'LICENSE'));
    const before = new Set(readdirSync(folder));
    const wheel = [
      '-m',
      'pip',
      'wheel',
      '--quiet',
      '--no-deps',
      '--disable-pip-version-check',
      '--wheel-dir',
      folder,
      work,
    ];
    await run('python3', wheel, { what: 'Packing the wheel', env: { ...process.env, SOURCE_DATE_EPOCH: changedAt } });
    return readdirSync(folder).find((name) => name.endsWith('.whl') && !before.has(name)) ?? 'the same wheel as before';
  });

/** The chart with the files of `deploy/` that it links to. */
export const packChart = async ({ folder }) => {
  const env = { ...process.env, PATH: `${binaries}:${process.env.PATH}` };
  const packed = await run('helm', ['package', join('k8s', 'chart'), '--destination', folder], {
    what: 'Packing the chart',
    env,
  });
  return packed.trim().split('/').at(-1);
};

/** The section of the changelog of this version. */
export const writeNotes = (version, { folder }) => {
  const text = readFileSync(join(repository, 'CHANGELOG.md'), 'utf8');
  const heading = new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b.*\n`, 'm').exec(text);
  if (heading === null) throw new StepError(`CHANGELOG.md has no section "## ${version}".`);
  const [section = ''] = text.slice(heading.index + heading[0].length).split(/^## /m);
  writeFileSync(join(folder, 'NOTES.md'), `# Almanac ${version}\n\n${section.trim()}\n`);
  return `${section.trim().split('\n').length} lines`;
};

/** Values of the chart: the images of this release by their digests. */
export const writeImageValues = (registry, digests, { folder }) => {
  const lines = [...digests].map(([name, digest]) => `    ${name}: ${digest}`);
  writeFileSync(join(folder, 'images.yaml'), `image:\n  registry: ${registry}\n  digests:\n${lines.join('\n')}\n`);
};

const sums = 'SHA256SUMS';

/** For `sha256sum --check`. */
export const writeChecksums = ({ folder }) => {
  const names = readdirSync(folder).filter((name) => name !== sums);
  const lines = names.map((name) => {
    const digest = createHash('sha256')
      .update(readFileSync(join(folder, name)))
      .digest('hex');
    return `${digest}  ${name}\n`;
  });
  writeFileSync(join(folder, sums), lines.toSorted().join(''));
  return `${names.length} files`;
};

const inTemporaryFolder = async (work) => {
  const folder = mkdtempSync(join(tmpdir(), 'almanac-release-'));
  try {
    return await work(folder);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

export const emptyFolder = (folder) => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
};
