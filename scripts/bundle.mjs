// Bundles each service, and the import, into dist/bundled: a process loads ten files instead of 1,300 modules, so it starts in
// a third of the time. `node scripts/bundle.mjs` bundles what was compiled since; `node scripts/bundle.mjs FOLDER …`
// bundles the services in these folders. Decision 101.
import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { RolldownMagicString, rolldown } from 'rolldown';

const repository = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const services = () =>
  readdirSync(join(repository, 'services'))
    .map((name) => join(repository, 'services', name))
    .filter((folder) => existsSync(join(folder, 'package.json')));
const bundleOf = (folder) => join(folder, 'dist', 'bundled');

/**
 * In place of the module by which pino asks at each start which files called it, for log transports, which we do not use.
 * Node then reads the source map of the whole bundle: 0.18 s of processor time and 10 MB.
 */
const noCallers = join(repository, 'scripts', 'no-callers.cjs');

const bundle = async (folder) => {
  const dir = bundleOf(folder);
  const modules = await rolldown({
    input: join(folder, 'dist', 'main.js'),
    platform: 'node',
    // The code is JavaScript already.
    tsconfig: false,
    plugins: [withOwnUrls(dir), withSourceMaps],
    resolve: { alias: { './lib/caller': noCallers } },
    // Nest and others import some packages only where they are installed.
    checks: { unresolvedImport: false },
  });
  const { output } = await modules.write({
    dir,
    format: 'esm',
    cleanDir: true,
    // Nest and error messages use the names of classes.
    keepNames: true,
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await modules.close();
  if (!output.some(({ moduleIds = [] }) => moduleIds.includes(noCallers)))
    throw new Error('pino no longer imports ./lib/caller: see noCallers');
};

/** A module finds the files beside it by its own URL, which stays that of the module, although its code moves. */
const withOwnUrls = (dir) => ({
  name: 'own-urls',
  transform: {
    filter: { code: 'import.meta.url' },
    handler: (code, file) => {
      const own = `new URL(${JSON.stringify(relative(dir, file))}, import.meta.url).href`;
      const changed = new RolldownMagicString(code).replaceAll('import.meta.url', own);
      return { code: changed.toString(), map: changed.generateMap({ source: file, hires: true }).toString() };
    },
  },
});

/** Stack traces name the lines of TypeScript. */
const withSourceMaps = {
  name: 'source-maps',
  load: {
    filter: { id: /\/dist\/.*\.js$/ },
    handler: (file) => {
      const map = `${file}.map`;
      return existsSync(map) ? { code: readFileSync(file, 'utf8'), map: readFileSync(map, 'utf8') } : undefined;
    },
  },
};

/** `tsc -b` touches the build info of a project when the project, or one that it imports, changed. */
const isStale = (folder) => {
  const main = join(bundleOf(folder), 'main.js');
  const inputs = [join(folder, 'tsconfig.tsbuildinfo'), join(repository, 'node_modules', '.almanac-installed')];
  return (
    !existsSync(main) || inputs.some((input) => existsSync(input) && statSync(input).mtimeMs > statSync(main).mtimeMs)
  );
};

const named = process.argv.slice(2).map((folder) => resolve(folder));
const folders = named.length > 0 ? named : services().filter(isStale);
for (const folder of folders) await bundle(folder);
