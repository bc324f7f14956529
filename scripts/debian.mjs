// Unpacks programs from Debian packages without installing them: without root, and only within the user's cache folder.
import { chmodSync, existsSync, mkdirSync, readdirSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { basename, dirname, join, relative } from 'node:path';
import { StepError, binaries, programCache, run } from './steps.mjs';
import { linkPythonData, pythonLines, pythonOf } from './unpacked-python.mjs';

const packagesFolder = join(programCache, 'packages');

/** The packages of each program. Debian's redis-server is a link to a file of redis-tools. */
const packagesOf = {
  'nats-server': ['nats-server'],
  'redis-server': ['redis-server', 'redis-tools'],
  haproxy: ['haproxy'],
  prometheus: ['prometheus'],
  // Its libraries need a newer libc than bookworm has.
  'valkey/redis-server': ['valkey-server', 'valkey-tools', 'libc6'],
  'python/python3': [
    'python3',
    'python3-httpx',
    'python3-pandas',
    'python3-pytest',
    'python3-hypothesis',
    'mypy',
    'python3-tqdm',
  ],
  'jupyter/python3': [
    'python3',
    'python3-httpx',
    'python3-pandas',
    'python3-matplotlib',
    'python3-nbclient',
    'python3-ipykernel',
  ],
  // Chromium without windows, which takes a third of the processor time of the whole program. The fonts have Latin and Arabic
  // letters. The machine may have none.
  'chromium-headless-shell': ['chromium-headless-shell', 'chromium-common', 'fonts-dejavu-core', 'fonts-liberation'],
};
/** Programs that need all dependencies of their packages, and not only libraries. */
const needAll = ['python/python3', 'jupyter/python3'];
/** Programs under the name of another one, which they replace. */
const programOf = {
  'valkey/redis-server': { suite: 'sid', file: 'valkey-server' },
  'python/python3': { suite: '.', file: 'python3' },
  'jupyter/python3': { suite: '.', file: 'python3' },
  // The file in usr/bin is a script with absolute paths.
  'chromium-headless-shell': { suite: '.', file: '../lib/chromium/chromium-headless-shell' },
};
/** A command that shows that a program runs. These do not support --version. */
const trialOf = {
  haproxy: ['-v'],
  'python/python3': ['-c', 'import httpx, hypothesis, mypy.api, pandas, pytest, tqdm'],
  'chromium-headless-shell': ['--no-sandbox', '--disable-gpu', '--dump-dom', 'data:text/html,a'],
  'jupyter/python3': ['-c', 'import httpx, ipykernel, matplotlib.pyplot, nbclient, pandas'],
};
const trialTimeoutMs = 60_000;

/**
 * Unpacks the named programs into the bin folder. A name such as `sid/nats-server` is that of another suite of Debian, in
 * a folder of that name; `valkey/redis-server` is that of Valkey. The next run removes what an interrupted run left.
 */
export const unpackPrograms = async (names, progress) => {
  mkdirSync(packagesFolder, { recursive: true });
  clearLeftovers();
  const work = join(packagesFolder, `unfinished-${process.pid}`);
  mkdirSync(work);
  try {
    const env = aptEnvironment(join(work, 'apt'));
    // A third-party source that does not answer must not matter. The download decides.
    progress("reading Debian's package lists");
    const updated = await run('apt-get', ['update', '-q'], { what: 'apt-get update', env, timeoutMs: 180_000 }).then(
      () => undefined,
      (error) => error,
    );
    for (const name of names) {
      progress(`fetching ${name} (${names.indexOf(name) + 1} of ${names.length}) from Debian`);
      const suite = programOf[name]?.suite ?? dirname(name);
      const fetched = suite === '.' ? unpack(name, work, env) : unpackFromSuite(name, suite, { work, env });
      await fetched.catch((error) => {
        throw updated ?? error;
      });
    }
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
};

/** The tools that unpack the named programs, for the check before. */
export const neededTools = (names) => {
  const [is, them] = names.length === 1 ? ['is', 'it'] : ['are', 'them'];
  const why = `They fetch Debian's packages: ${names.join(' and ')} ${is} not in the PATH. Install ${them} and run this again.`;
  return ['apt-get', 'apt-cache', 'dpkg', 'dpkg-query', 'dpkg-deb'].map((tool) => ({ tool, why }));
};

const clearLeftovers = () => {
  for (const entry of readdirSync(packagesFolder)) {
    if (!entry.startsWith('unfinished-')) continue;
    // Processes of the interrupted run may still be stopping and write there.
    rmSync(join(packagesFolder, entry), { recursive: true, force: true, maxRetries: 10, retryDelay: 50 });
  }
};

/**
 * Settings for apt with its own lists, cache and state. It uses the machine's sources, keys and proxy. The file in
 * APT_CONFIG is read last, so it can clear hooks of the machine that only root can run.
 */
export const aptEnvironment = (aptFolder, extraSettings = []) => {
  for (const folder of ['lists/partial', 'cache/archives/partial', 'state']) {
    mkdirSync(join(aptFolder, folder), { recursive: true });
  }
  const file = join(aptFolder, 'apt.conf');
  writeFileSync(
    file,
    [
      `Dir::State "${aptFolder}/state";`,
      `Dir::State::Lists "${aptFolder}/lists";`,
      'Dir::State::status "/var/lib/dpkg/status";',
      `Dir::Cache "${aptFolder}/cache";`,
      `Dir::Log "${aptFolder}";`,
      // As root, apt would switch to the user _apt, which may not write to our folders.
      ...(process.getuid?.() === 0 ? ['APT::Sandbox::User "root";'] : []),
      // Otherwise an update that reaches no source counts as a success.
      'APT::Update::Error-Mode "any";',
      'Acquire::Languages "none";',
      'Acquire::Retries "2";',
      'Acquire::http::Timeout "20";',
      'Acquire::https::Timeout "20";',
      '#clear APT::Update::Pre-Invoke;',
      '#clear APT::Update::Post-Invoke;',
      '#clear APT::Update::Post-Invoke-Success;',
      '#clear DPkg::Post-Invoke;',
      ...extraSettings,
      '',
    ].join('\n'),
  );
  return { ...process.env, APT_CONFIG: file, LC_ALL: 'C', DEBIAN_FRONTEND: 'noninteractive' };
};

/** The mirror that the machine's own sources name, with its release and the key ring of Debian. `remedy` ends the error. */
export const debianMirror = async (env, remedy) => {
  const keyring = '/usr/share/keyrings/debian-archive-keyring.gpg';
  const format = ['--format', '$(ORIGIN) $(REPO_URI) $(CODENAME)', 'Created-By: Packages'];
  const text = await run('apt-get', ['indextargets', ...format], { what: "Reading apt's sources", env });
  const targets = text.split('\n').map((line) => line.trim().split(' '));
  const [, uri, release] = targets.find(([origin]) => origin === 'Debian') ?? [];
  if (uri !== undefined && existsSync(keyring)) return { uri, release, keyring };
  throw new StepError(`This needs Debian with its package sources. ${remedy}`);
};

/** Settings for apt with the packages of another suite of the same mirror, whose lists are read. */
export const suiteEnvironment = async (aptFolder, { uri, keyring }, suite) => {
  mkdirSync(aptFolder, { recursive: true });
  const sources = join(aptFolder, 'sources.list');
  writeFileSync(sources, `deb [signed-by=${keyring}] ${uri} ${suite} main\n`);
  const env = aptEnvironment(aptFolder, [`Dir::Etc::SourceList "${sources}";`, 'Dir::Etc::SourceParts "-";']);
  await run('apt-get', ['update', '-q'], { what: `apt-get update of Debian ${suite}`, env, timeoutMs: 180_000 });
  return env;
};

const unpackFromSuite = async (name, suite, { work, env: machine }) => {
  const mirror = await debianMirror(machine, `Put a newer server as ${name} into a folder of the PATH.`);
  await unpack(name, work, await suiteEnvironment(join(work, `apt-${suite}`), mirror, suite), suite);
};

const unpack = async (name, work, env, suite) => {
  const folder = join(work, name);
  const root = join(folder, 'root');
  mkdirSync(root, { recursive: true });
  await unpackPackages(packagesOf[name] ?? packagesOf[basename(name)], { name, folder, root, env, suite });
  const packageFolder = join(packagesFolder, name);
  mkdirSync(dirname(packageFolder), { recursive: true });
  rmSync(packageFolder, { recursive: true, force: true });
  renameSync(root, packageFolder);
  if (basename(name) === 'python3') linkPythonData(packageFolder);
  const python = basename(name) === 'python3' ? pythonOf(packageFolder) : undefined;
  const path = python ?? programPath(name, packageFolder);
  await install(name, path, packageFolder);
};

/**
 * Unpacks packages and the libraries that the machine lacks into `root`. `folder` gets the package files. Without a suite,
 * apt chooses the version, and prefers an installed one that is newer.
 */
export const unpackPackages = async (packages, { name, folder, root, env, suite }) => {
  const required = needAll.includes(name)
    ? await missingPackages(packages, name, env)
    : await withMissingLibraries(packages, env);
  const all = suite === undefined ? required : required.map((one) => `${one}/${suite}`);
  await run('apt-get', ['download', '-q', ...all], { what: `Fetching ${name}`, cwd: folder, env });
  for (const file of readdirSync(folder).filter((entry) => entry.endsWith('.deb'))) {
    await run('dpkg', ['-x', join(folder, file), root], { what: `Unpacking ${name}`, env });
  }
};

const programPath = (name, folder) => {
  const path = ['usr/bin', 'usr/sbin']
    .map((part) => join(folder, part, programOf[name]?.file ?? basename(name)))
    .find((candidate) => existsSync(candidate));
  if (path === undefined) throw new StepError(`The Debian package of ${name} does not contain that program.`);
  return path;
};

/** The packages with the libraries that the machine lacks, recursively. */
const withMissingLibraries = async (packages, env) => {
  const packageNames = new Set(packages);
  for (const name of packageNames) {
    const text = await run('apt-cache', ['depends', '--important', name], { what: `Looking up ${name}`, env });
    const names = [...text.matchAll(/^\s+(?:Pre)?Depends: (lib[^\s<>]+)$/gm)].map((match) => match[1]);
    for (const library of names) if (!(await isInstalled(library, env))) packageNames.add(library);
  }
  return [...packageNames];
};

/** The packages that an installation would add: what the machine lacks of these and of all their dependencies. */
const missingPackages = async (packages, name, env) => {
  const args = ['install', '--simulate', '-q', '--no-install-recommends', ...packages];
  const plan = await run('apt-get', args, { what: `Looking up ${name}`, env });
  return [...plan.matchAll(/^Inst (\S+) /gm)].map(([, one]) => one);
};

const isInstalled = async (name, env) =>
  run('dpkg-query', ['-W', '-f=${db:Status-Status} ', name], { env }).then(
    (status) => status.split(' ').includes('installed'),
    () => false,
  );

/**
 * Writes a start script that sets the program's library path. Paths are relative to the script, so the folder may be
 * moved. exec preserves the process number and the parent's death signal.
 */
const install = async (name, path, packageFolder) => {
  const target = join(binaries, name);
  const fromHere = (to) => `$here/${relative(dirname(target), to)}`;
  const script = `#!/bin/sh
here=\${0%/*}
${startLines(packageFolder, path, fromHere)} "$@"
`;
  mkdirSync(dirname(target), { recursive: true });
  const draft = join(dirname(target), `.${basename(name)}.${process.pid}`);
  writeFileSync(draft, script);
  chmodSync(draft, 0o755);
  try {
    await run(draft, trialOf[name] ?? trialOf[basename(name)] ?? ['--version'], {
      what: `Trying ${name}`,
      timeoutMs: trialTimeoutMs,
    });
    renameSync(draft, target);
  } finally {
    rmSync(draft, { force: true });
  }
};

/** Packages with a libc of their own are started by its loader. */
const startLines = (packageFolder, path, fromHere) => {
  const folders = libraryFolders(packageFolder);
  if (basename(path) === 'python3') return pythonLines(packageFolder, { path, folders, fromHere });
  const search = folders.map(fromHere).join(':');
  const loaders = folders.flatMap((folder) => readdirSync(folder).map((file) => join(folder, file)));
  const loader = loaders.find((file) => /^ld-linux.*\.so\.\d$/.test(basename(file)) && statSync(file).isFile());
  const program = `"${fromHere(path)}"`;
  if (loader !== undefined) return `exec "${fromHere(loader)}" --library-path "${search}" ${program}`;
  const fonts = existsSync(join(packageFolder, 'usr/share/fonts')) ? [fontLine(packageFolder, fromHere)] : [];
  if (fonts.length > 0) return [...fonts, `export LD_LIBRARY_PATH="${search}"`, `exec ${program}`].join('\n');
  // Without env, which a small PATH may lack.
  return search === '' ? `exec ${program}` : `export LD_LIBRARY_PATH="${search}"\nexec ${program}`;
};

/** The machine may have no fonts, or others, with which the same page looks different. */
const fontLine = (packageFolder, fromHere) => {
  const file = join(packageFolder, 'fonts.conf');
  const text = `<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "urn:fontconfig:fonts.dtd">
<fontconfig>
  <dir prefix="relative">usr/share/fonts</dir>
  <cachedir prefix="xdg">fontconfig</cachedir>
  <alias><family>sans-serif</family><prefer><family>Liberation Sans</family><family>DejaVu Sans</family></prefer></alias>
  <alias><family>system-ui</family><prefer><family>Liberation Sans</family><family>DejaVu Sans</family></prefer></alias>
  <alias><family>monospace</family><prefer><family>Liberation Mono</family><family>DejaVu Sans Mono</family></prefer></alias>
</fontconfig>
`;
  writeFileSync(file, text);
  return `export FONTCONFIG_FILE="${fromHere(file)}"`;
};

export const libraryFolders = (folder) => {
  const found = new Set();
  for (const entry of readdirSync(folder)) {
    const path = join(folder, entry);
    if (/\.so(\.|$)/.test(entry)) found.add(dirname(path));
    else if (existsSync(path) && statSync(path).isDirectory()) for (const one of libraryFolders(path)) found.add(one);
  }
  return [...found];
};
