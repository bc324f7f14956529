// Unpacks Docker from Debian's packages into the user's cache: the engine, its command with compose, and debootstrap.
import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  rmSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { aptEnvironment, debianMirror, libraryFolders, suiteEnvironment, unpackPackages } from '../debian.mjs';
import { withLock } from '../lock.mjs';
import { programCache, run } from '../steps.mjs';

export const engineFolder = join(programCache, 'engine');
/** Programs in the PATH of the engine. */
export const engineBinaries = join(engineFolder, 'bin');
/** DOCKER_CONFIG: the client finds compose and buildx there, and reads nothing of the user's. */
export const clientFolder = join(engineFolder, 'client');
export const root = join(engineFolder, 'root');

/** Bookworm has no buildx, and a compose that does not understand our file. These run on its libraries. */
const dockerSuite = 'trixie';
const dockerPackages = ['docker.io', 'docker-cli', 'docker-buildx', 'docker-compose', 'containerd', 'tini'];
/** These need the machine's own libraries. */
const machinePackages = ['runc', 'iptables', 'debootstrap'];

const programs = {
  docker: 'usr/bin/docker',
  dockerd: 'usr/sbin/dockerd',
  containerd: 'usr/bin/containerd',
  'containerd-shim-runc-v2': 'usr/bin/containerd-shim-runc-v2',
  runc: 'usr/sbin/runc',
  'docker-proxy': 'usr/sbin/docker-proxy',
  'docker-init': 'usr/bin/tini-static',
  iptables: 'usr/sbin/iptables-nft',
  ip6tables: 'usr/sbin/ip6tables-nft',
  debootstrap: 'usr/sbin/debootstrap',
};

/** Written last. Contains the mirror. */
const stamp = join(engineFolder, 'installed');
export const mirrorOfEngine = () => JSON.parse(readFileSync(stamp, 'utf8'));

/** Returns how it got there. */
export const installEngine = async (progress) => {
  if (existsSync(stamp)) return 'is available';
  return withLock(join(programCache, 'engine.lock'), async () => {
    if (existsSync(stamp)) return 'was fetched by another start';
    const work = `${root}.unfinished`;
    for (const folder of [work, root, engineBinaries, clientFolder]) rmSync(folder, { recursive: true, force: true });
    mkdirSync(join(work, 'root'), { recursive: true });
    const mirror = await unpackEngine(work, progress);
    renameSync(join(work, 'root'), root);
    rmSync(work, { recursive: true, force: true });
    writeStartScripts();
    await run(join(engineBinaries, 'dockerd'), ['--version'], { what: 'Trying dockerd', timeoutMs: 10_000 });
    writeFileSync(stamp, JSON.stringify(mirror));
    return `was unpacked from Debian's packages into ${engineFolder}`;
  });
};

/** Returns the mirror, from which the base image comes too. */
const unpackEngine = async (work, progress) => {
  const machine = aptEnvironment(join(work, 'apt-machine'));
  progress("reading Debian's package lists");
  await run('apt-get', ['update', '-q'], { what: 'apt-get update', env: machine, timeoutMs: 180_000 });
  const mirror = await debianMirror(machine, 'Start Docker, or set DOCKER_HOST.');
  const docker = await suiteEnvironment(join(work, 'apt-docker'), mirror, dockerSuite);
  const sets = [
    { name: 'runc', packages: machinePackages, env: machine },
    { name: 'Docker', packages: dockerPackages, env: docker },
  ];
  for (const { name, packages, env } of sets) {
    progress(`fetching ${name} from Debian: 95 MB in all`);
    const folder = join(work, name);
    mkdirSync(folder, { recursive: true });
    await unpackPackages(packages, { name, folder, root: join(work, 'root'), env });
  }
  return mirror;
};

/** As `install` in debian.mjs: paths are relative to the script. */
const writeStartScripts = () => {
  mkdirSync(engineBinaries, { recursive: true });
  const libraries = libraryFolders(root).filter((folder) => !folder.endsWith('xtables'));
  const search = libraries.map((folder) => `$here/../root${folder.slice(root.length)}`).join(':');
  const xtables = libraryFolders(root).find((folder) => folder.endsWith('xtables')) ?? '';
  for (const [name, path] of Object.entries(programs)) {
    // The engine copies this one into containers.
    if (name === 'docker-init') symlinkSync(join('..', 'root', path), join(engineBinaries, name));
    else {
      const variables = `LD_LIBRARY_PATH="${search}" XTABLES_LIBDIR="$here/../root${xtables.slice(root.length)}"`;
      const needsOwn = ['iptables', 'ip6tables', 'runc'].includes(name) ? `${variables} ` : '';
      writeFileSync(
        join(engineBinaries, name),
        `#!/bin/sh\nhere=\${0%/*}\n${needsOwn}exec "$here/../root/${path}" "$@"\n`,
      );
      chmodSync(join(engineBinaries, name), 0o755);
    }
  }
  const plugins = join(clientFolder, 'cli-plugins');
  mkdirSync(plugins, { recursive: true });
  for (const plugin of ['docker-compose', 'docker-buildx']) {
    symlinkSync(join('..', '..', 'root', 'usr/libexec/docker/cli-plugins', plugin), join(plugins, plugin));
  }
};
