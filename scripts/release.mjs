// npm run release -- --dry-run | --pack | --set VERSION | --names | --registry HOST/PATH
// Cuts a release of the version in package.json: checks the checkout, writes a bill of materials for each service, packs clients, chart
// and notes, builds the images, records their digests, and tags the commit. --dry-run checks and writes the bills, and prints the
// commands of the rest. --pack does all that needs no registry of images. --set writes another version to every file that states
// it. --names looks up whether the names of the packages are free.
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import {
  emptyFolder,
  npmClients,
  packChart,
  packNpm,
  packWheel,
  pythonProject,
  writeChecksums,
  writeImageValues,
  writeNotes,
} from './release/files.mjs';
import { checkNames } from './release/names.mjs';
import { StepError, home, main, repository, run, step } from './steps.mjs';

const services = [...readdirSync(join(repository, 'services')), 'operator'];
/** What has packages of others: the other clients have none. */
const billed = [...services, 'mcp'];
/** Its `appVersion` is the tag of the images. */
const chart = join('k8s', 'chart', 'Chart.yaml');
const buildTimeoutMs = 1_800_000;

const read = (file) => readFileSync(join(repository, file), 'utf8');
const versionOf = () => JSON.parse(read('package.json')).version;

const packageFiles = async () => {
  const listed = await run('git', ['ls-files', 'package.json', '*/package.json'], { what: 'Listing the packages' });
  return listed.trim().split('\n');
};

/** package.json of the root states the version; the other places repeat it because their tools read only them. */
const setVersion = async (version) => {
  if (!/^\d+\.\d+\.\d+$/.test(version)) throw new StepError(`${version} is not a version such as 0.2.0.`);
  for (const file of await packageFiles()) {
    const text = read(file).replace(/^( {2}"version": )"[^"]*"/m, `$1"${version}"`);
    writeFileSync(join(repository, file), text);
  }
  writeFileSync(join(repository, chart), read(chart).replaceAll(/^((?:appV|v)ersion: )[\d.]+$/gm, `$1${version}`));
  writeFileSync(
    join(repository, pythonProject),
    read(pythonProject).replace(/^(version = )"[^"]*"$/m, `$1"${version}"`),
  );
  console.log(`The version is ${version} in every package and in the chart.`);
};

const check = async (version) => {
  const faults = [];
  for (const file of await packageFiles()) {
    const stated = JSON.parse(read(file)).version;
    if (stated !== version) faults.push(`${file} states version ${stated}`);
  }
  for (const [, field, stated] of read(chart).matchAll(/^((?:appV|v)ersion): (.+)$/gm)) {
    if (stated !== version) faults.push(`${chart} states ${field} ${stated}`);
  }
  const [, python] = /^version = "(.*)"$/m.exec(read(pythonProject)) ?? [];
  if (python !== version) faults.push(`${pythonProject} states version ${python}`);
  if (!new RegExp(`^## ${version.replaceAll('.', '\\.')}\\b`, 'm').test(read('CHANGELOG.md'))) {
    faults.push(`CHANGELOG.md has no section "## ${version}"`);
  }
  const tag = await run('git', ['tag', '--list', `v${version}`], { what: 'Listing the tags' });
  if (tag.trim() !== '') faults.push(`the tag v${version} exists already`);
  if (faults.length > 0) throw new StepError(`Version ${version} cannot be released:\n  ${faults.join('\n  ')}`);
  return `version ${version} is stated everywhere`;
};

const requireCleanTree = async () => {
  const changes = await run('git', ['status', '--porcelain'], { what: 'git status' });
  if (changes.trim() !== '') throw new StepError('The checkout has changes. Commit them before a release.');
  return 'nothing uncommitted';
};

/** A CycloneDX bill of the packages that an image of the service contains. */
const writeBill = async (service, folder) => {
  const file = join(folder, `${service}.cdx.json`);
  const args = ['--yes', packageManager(), '--filter', `@almanac/${service}`, 'sbom', '--prod', '--lockfile-only'];
  await run('npx', [...args, '--sbom-format', 'cyclonedx', '--sbom-type', 'application', '--out', file], {
    what: `The bill of materials of ${service}`,
  });
  const bill = existsSync(file) ? withoutEngine(JSON.parse(readFileSync(file, 'utf8'))) : {};
  if (!bill.components?.length) throw new StepError(`The bill of materials of ${service} lists no component.`);
  writeFileSync(file, `${JSON.stringify(bill, undefined, 2)}\n`);
  return `${bill.components.length} components`;
};

/** The engine of ClickHouse is for `npm start`. deploy/build.sh removes it from the image of the operator's command. */
const isEngine = (ref) => /^pkg:npm\/(chdb|%40chdb\/[^@]+)@/.test(ref);

const withoutEngine = ({ components = [], dependencies = [], ...bill }) => ({
  ...bill,
  components: components.filter(({ purl }) => !isEngine(purl)),
  dependencies: dependencies.flatMap(({ ref, dependsOn, ...others }) =>
    isEngine(ref)
      ? []
      : [{ ref, ...(dependsOn && { dependsOn: dependsOn.filter((one) => !isEngine(one)) }), ...others }],
  ),
});

const packageManager = () => /const pnpm = '([^']+)'/.exec(read(join('scripts', 'provision.mjs')))?.[1] ?? 'pnpm';

const imageOf = (registry, service, version) => `${registry}/${service}:${version}`;

const buildArguments = (image, service, metadata) => [
  'buildx',
  'build',
  '-f',
  'deploy/Dockerfile',
  '--build-arg',
  `SERVICE=${service}`,
  '--provenance=mode=max',
  '--sbom=true',
  '--metadata-file',
  metadata,
  '--push',
  '-t',
  image,
  '.',
];

const buildImage = async (image, service, folder) => {
  const metadata = join(folder, `${service}.image.json`);
  await run('docker', buildArguments(image, service, metadata), {
    what: `Building ${image}`,
    timeoutMs: buildTimeoutMs,
  });
  return JSON.parse(readFileSync(metadata, 'utf8'))['containerimage.digest'];
};

/** Everything but the images. */
const packFiles = async (version, folder) => {
  const changedAt = await run('git', ['log', '-1', '--format=%ct'], { what: 'Reading the time of the commit' });
  const options = { folder, packageManager: packageManager(), changedAt: changedAt.trim() };
  await step('Build', () =>
    run('npm', ['run', 'build'], { what: 'The build', timeoutMs: buildTimeoutMs }).then(() => 'done'),
  );
  for (const client of npmClients) await step(`Package ${client}`, () => packNpm(client, options));
  await step('Wheel', () => packWheel(options));
  await step('Chart', () => packChart(options));
  await step('Notes', async () => writeNotes(version, options));
};

const printRest = (version, folder, registry) => {
  console.log('A release would run:');
  for (const service of services) {
    const image = imageOf(registry, service, version);
    const args = buildArguments(image, service, join(folder, `${service}.image.json`));
    console.log(`  docker ${args.join(' ')}`);
  }
  console.log(`  git tag -a v${version} -m "Almanac ${version}"`);
};

await main(async () => {
  const isOn = { type: 'boolean' };
  const options = { 'dry-run': isOn, pack: isOn, names: isOn, set: { type: 'string' }, registry: { type: 'string' } };
  const { values } = parseArgs({ options });
  if (values.set !== undefined) return setVersion(values.set);
  if (values.names) return checkNames();
  const dry = values['dry-run'] === true;
  if (!dry && !values.pack && values.registry === undefined) {
    throw new StepError('Name the registry of the images with --registry, or use --pack or --dry-run.');
  }
  const version = versionOf();
  const registry = values.registry ?? 'REGISTRY';
  const folder = join(home, 'release', version);
  emptyFolder(folder);
  await step('Version', () => check(version));
  if (!dry && !values.pack) await step('Checkout', requireCleanTree);
  for (const service of billed) await step(`Bill of ${service}`, () => writeBill(service, folder));
  if (dry) return printRest(version, folder, registry);
  await packFiles(version, folder);
  const digests = new Map();
  if (values.pack) {
    await step('Checksums', async () => writeChecksums({ folder }));
    return console.log(`Packed ${version}: ${folder}`);
  }
  for (const service of services) {
    const image = imageOf(registry, service, version);
    await step(`Image of ${service}`, async () => {
      const digest = await buildImage(image, service, folder);
      digests.set(service, digest);
      return digest;
    });
  }
  writeImageValues(registry, digests, { folder });
  await step('Checksums', async () => writeChecksums({ folder }));
  await run('git', ['tag', '-a', `v${version}`, '-m', `Almanac ${version}`], { what: 'The tag' });
  console.log(`Tagged v${version}. Push it with: git push origin v${version}. Its files: ${folder}`);
});
