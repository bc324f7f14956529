import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmod, cp, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { repository } from './repository.js';

/** Debian's tools and npx as scripts that record their calls and create small files. */
const fakes: Readonly<Record<string, string>> = {
  'apt-get': `echo "apt-get $*" >> "$CALLS"
[ "$1" = download ] || exit 0
shift 2
for name in "$@"; do echo package > "$name.deb"; done`,
  'apt-cache': 'exit 0',
  'dpkg-query': 'exit 0',
  'dpkg-deb': 'exit 0',
  dpkg: `name=\${2##*/}; name=\${name%.deb}
/bin/mkdir -p "$3/usr/bin"
printf '#!/bin/sh\\necho "$0"\\n' > "$3/usr/bin/$name"
/bin/chmod +x "$3/usr/bin/$name"`,
  npx: `echo "npx $*" >> "$CALLS"
echo 'Progress: resolved 622, reused 0, downloaded 310, added 300'
/bin/mkdir -p node_modules/.bin
printf '#!/bin/sh\\necho "the system runs with $ALMANAC_BIN"\\n' > node_modules/.bin/node
printf '#!/bin/sh\\necho "12:00:00 PM - Building project '"'libs/bus/tsconfig.json'"'..."\\n' > node_modules/.bin/tsc
/bin/chmod +x node_modules/.bin/node node_modules/.bin/tsc`,
};

/** What the bundle of the web console is made from, and the folder that the build of its types leaves. */
const consoleSources = [
  ...['src/main.tsx', 'public/icon.svg', 'index.html', 'vite.config.mjs', 'dist/main.js'].map(
    (file) => `console/${file}`,
  ),
  'typescript/dist/index.js',
];

const writeNew = async (path: string): Promise<void> => {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, '');
};

/** A checkout before its first start, on a machine with only the fake tools. */
export const startTestCheckout = async () => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-checkout-'));
  const [checkout, tools, calls] = [join(folder, 'checkout'), join(folder, 'tools'), join(folder, 'calls')];
  await mkdir(checkout);
  for (const name of ['scripts', 'package.json', 'pnpm-lock.yaml', 'pnpm-workspace.yaml', 'tsconfig.json']) {
    await cp(join(repository, name), join(checkout, name), { recursive: true });
  }
  for (const name of consoleSources) await writeNew(join(checkout, 'clients', name));
  await mkdir(tools);
  for (const [name, script] of Object.entries(fakes)) {
    await writeFile(join(tools, name), `#!/bin/sh\n${script}\n`);
    await chmod(join(tools, name), 0o755);
  }
  await writeFile(calls, '');
  /** Runs a script to its end. */
  const run = async (script: string, args: readonly string[], env: NodeJS.ProcessEnv) => {
    const child = spawn(process.execPath, [join('scripts', script), ...args], {
      cwd: checkout,
      env: { PATH: tools, HOME: folder, CALLS: calls, ...env },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (part: Buffer) => (output += String(part)));
    await once(child, 'close');
    return { code: child.exitCode, output };
  };
  return {
    folder,
    checkout,
    run,
    calls: async () => (await readFile(calls, 'utf8')).trimEnd().split('\n'),
    removeTool: (name: string) => rm(join(tools, name)),
    /** Runs the script of `npm start` to its end. */
    start: (env: NodeJS.ProcessEnv) => run('start.mjs', [], env),
    stop: () => rm(folder, { recursive: true, force: true }),
  };
};
export type TestCheckout = Awaited<ReturnType<typeof startTestCheckout>>;
