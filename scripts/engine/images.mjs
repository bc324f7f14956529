// The images that an engine of its own cannot pull: the base of our images, made as Debian makes it, and stand-ins for
// the servers of docker-compose.yml. They are labelled, and the tests name them.
import { appendFileSync, copyFileSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { repository, run, step } from '../steps.mjs';
import { engineBinaries, engineFolder, mirrorOfEngine, root } from './install.mjs';

const label = 'almanac.stand-in';
const here = dirname(fileURLToPath(import.meta.url));
const standInFile = join(here, 'stand-ins', 'Dockerfile');
/** The npm of Node 24, which builds the images. */
const npmPackage = 'npm@11.21.2';

/** The servers' names and images in docker-compose.yml, and the base image of deploy/Dockerfile. */
const serverNames = ['balancer', 'nats', 'redis', 'clickhouse', 's3'];
const imageNames = () => {
  const compose = readFileSync(join(repository, 'docker-compose.yml'), 'utf8');
  const imageOf = (name) => new RegExp(`^  ${name}:\\n(?:    .*\\n)*?    image: (\\S+)$`, 'm').exec(compose)?.[1];
  const [, base] = /^ARG NODE_IMAGE=(\S+)$/m.exec(readFileSync(join(repository, 'deploy', 'Dockerfile'), 'utf8'));
  return { base, servers: Object.fromEntries(serverNames.map((name) => [name, withoutVariable(imageOf(name))])) };
};

const withoutVariable = (image) => image.replace(/^\$\{\w+:-(.*)\}$/, '$1');

/** Provides all images to an engine of its own. Returns the names of the servers that are stand-ins. */
export const provideImages = async (env) => {
  const docker = (args, options = {}) => run('docker', args, { what: `docker ${args[0]}`, env, ...options });
  const { base, servers } = imageNames();
  const isPresent = (image) => inspect(docker, image).then(({ isStandIn }) => isStandIn !== undefined);
  const isBasePulled = await pull(docker, base);
  if (!isBasePulled && !(await isPresent(base))) await step('Base image', (progress) => makeBase(base, env, progress));
  const standIns = [];
  await step('Server images', async (progress) => {
    for (const [name, image] of Object.entries(servers)) {
      // All are of one registry.
      if (isBasePulled && (await pull(docker, image))) continue;
      if ((await inspect(docker, image)).isStandIn === false) continue;
      progress(`building a stand-in for ${image}`);
      const args = ['build', '--file', standInFile, '--target', name, '--tag', image, '--label', `${label}=true`];
      await docker([...args, '--build-arg', `NODE_IMAGE=${base}`, repository]);
      standIns.push(name);
    }
    return standIns.length === 0 ? 'are those of docker-compose.yml' : sentenceOn(standIns, isBasePulled);
  });
  return standIns;
};

const sentenceOn = (standIns, isBasePulled) =>
  `STAND-INS, since they cannot be pulled: ${standIns.join(', ')} (programs of npm start)` +
  (isBasePulled ? '' : ', and the base image (debootstrap)');

const pull = (docker, image) =>
  docker(['pull', '--quiet', image], { timeoutMs: 300_000 }).then(
    () => true,
    () => false,
  );

/** `isStandIn` is undefined without such an image. */
const inspect = async (docker, image) => {
  const format = `{{index .Config.Labels "${label}"}}`;
  const text = await docker(['image', 'inspect', '--format', format, image]).catch(() => undefined);
  return { isStandIn: text === undefined ? undefined : text.trim() === 'true' };
};

/** Debian's smallest system with the Node of the checkout, npm and the user `node`. */
const makeBase = async (image, env, progress) => {
  const folder = mkdtempSync(join(engineFolder, 'base-'));
  try {
    const { uri, release, keyring } = mirrorOfEngine();
    progress('installing Debian with debootstrap: 1 to 3 minutes');
    const system = ['--variant=minbase', '--include=ca-certificates', `--keyring=${keyring}`];
    const debootstrap = { ...env, DEBOOTSTRAP_DIR: join(root, 'usr/share/debootstrap') };
    await run(join(engineBinaries, 'debootstrap'), [...system, release, folder, uri], {
      what: 'debootstrap',
      env: debootstrap,
    });
    for (const part of ['var/cache/apt', 'usr/share/doc', 'usr/share/man', 'usr/share/locale']) {
      rmSync(join(folder, part), { recursive: true, force: true });
    }
    progress('adding Node and npm');
    copyFileSync(join(repository, 'node_modules/node/bin/node'), join(folder, 'usr/local/bin/node'));
    const prefix = ['--prefix', join(folder, 'usr/local')];
    await run('npm', ['install', '--global', '--no-audit', '--no-fund', ...prefix, npmPackage], { what: 'npm' });
    appendFileSync(join(folder, 'etc/passwd'), 'node:x:1000:1000::/home/node:/bin/bash\n');
    appendFileSync(join(folder, 'etc/group'), 'node:x:1000:\n');
    const changes = [`LABEL ${label}=true`, 'CMD ["node"]', ...machineCertificates(folder)];
    progress('importing it');
    const options = changes.flatMap((change) => ['--change', change]);
    const script = 'folder=$1; shift; tar -C "$folder" -c . | docker import "$@"';
    await run('sh', ['-c', script, 'sh', folder, ...options, '-', image], { what: 'docker import', env });
    return `${image} is a STAND-IN, made with debootstrap, since it cannot be pulled`;
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
};

/** A machine behind a proxy with certificates of its own gives them to the builds. Images do not get them. */
const machineCertificates = (folder) => {
  const file = process.env.NODE_EXTRA_CA_CERTS ?? process.env.SSL_CERT_FILE;
  if (file === undefined || !existsSync(file)) return [];
  const path = '/usr/local/share/machine-certificates.pem';
  copyFileSync(file, join(folder, path));
  const variables = ['NODE_EXTRA_CA_CERTS', 'SSL_CERT_FILE', 'NPM_CONFIG_CAFILE'];
  return [`ENV ${variables.map((name) => `${name}=${path}`).join(' ')}`];
};
