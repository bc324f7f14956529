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

const bundle = async (folder) => {
  const dir = bundleOf(folder);
  const modules = await rolldown({
    input: join(folder, 'dist', 'main.js'),
    platform: 'node',
    // The code is JavaScript already.
    tsconfig: false,
    plugins: [withOwnUrls(dir), withSourceMaps, ...withoutUnusedTraces()],
    // Nest and others import some packages only where they are installed.
    checks: { unresolvedImport: false },
  });
  await modules.write({
    dir,
    format: 'esm',
    cleanDir: true,
    // Nest and error messages use the names of classes.
    keepNames: true,
    sourcemap: true,
    sourcemapExcludeSources: true,
  });
  await modules.close();
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

/**
 * Code of packages that asks for a stack trace at each start or stop and makes no use of it. Node then reads the source map of
 * the whole bundle, which took a sixth of the CPU time of a start and a stop.
 */
const unusedTraces = [
  { file: /\/pino\/lib\/caller\.js$/, from: 'getCallSites()', to: 'getCallSites({ sourceMap: false })' },
  { file: /\/nats-core\/lib\/protocol\.js$/, from: 'new Error("close trace").stack', to: '""' },
];

/** A package that changed or moved its code ends the build. Every service has both packages. */
const withoutUnusedTraces = () =>
  unusedTraces.map(({ file, from, to }) => {
    let isFound = false;
    return {
      name: 'without-unused-traces',
      transform: {
        filter: { id: file },
        handler: (code, id) => {
          if (code.split(from).length !== 2) throw new Error(`${id} does not have ${from} once: see unusedTraces`);
          isFound = true;
          return { code: code.replace(from, to), map: null };
        },
      },
      buildEnd: (error) => {
        if (error === undefined && !isFound) throw new Error(`no bundled file matches ${file}: see unusedTraces`);
      },
    };
  });

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
