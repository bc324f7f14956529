// Other versions of Python than Debian's, for tests of the Python client: those of this machine, with the newest packages.
import { chmodSync, existsSync, mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { StepError, programCache, run } from './steps.mjs';

/** What `requires-python` of clients/python allows, as far as it is released. */
export const supportedPythons = ['3.10', '3.11', '3.12', '3.13', '3.14'];
const packages = ['httpx', 'pandas', 'pytest', 'hypothesis', 'mypy', 'tqdm', 'types-tqdm'];
/** One version also has the other packages of tables, which change what pandas makes of texts. The others have pandas alone. */
const withTables = '3.12';
const tables = ['polars', 'pyarrow'];

/** The interpreter of a version such as 3.13: of pyenv, or in the PATH. Undefined if the machine has none. */
export const pythonOfVersion = (version) => {
  const pyenv = join(process.env.PYENV_ROOT ?? join(process.env.HOME ?? '', '.pyenv'), 'versions');
  const installed = existsSync(pyenv) ? readdirSync(pyenv).filter((name) => name.startsWith(`${version}.`)) : [];
  const folders = (process.env.PATH ?? '').split(delimiter).filter((folder) => !folder.includes('pyenv'));
  const paths = [
    ...installed.map((name) => join(pyenv, name, 'bin', 'python3')),
    ...folders.map((folder) => join(folder, `python${version}`)),
  ];
  return paths.find((path) => existsSync(path));
};

/**
 * A folder with `python/python3`, which runs this version with the packages of the tests. It stays in the user's cache.
 * Throws a StepError if the machine lacks the version.
 */
export const providePython = async (version) => {
  const interpreter = pythonOfVersion(version);
  if (interpreter === undefined)
    throw new StepError(
      `This machine has no Python ${version}. Install it, for example with pyenv install ${version}.`,
    );
  const hasTables = version === withTables;
  const folder = join(programCache, 'pythons', hasTables ? `${version}-tables` : version);
  const program = join(folder, 'bin', 'python', 'python3');
  if (existsSync(program)) return join(folder, 'bin');
  const environment = join(folder, 'environment');
  rmSync(folder, { recursive: true, force: true });
  await run(interpreter, ['-m', 'venv', environment], { what: `The environment of Python ${version}` });
  const python = join(environment, 'bin', 'python3');
  const install = [
    '-m',
    'pip',
    'install',
    '--quiet',
    '--disable-pip-version-check',
    ...packages,
    ...(hasTables ? tables : []),
  ];
  await run(python, install, { what: `Installing the packages of Python ${version}` });
  mkdirSync(dirname(program), { recursive: true });
  writeFileSync(program, `#!/bin/sh\nexec "${python}" "$@"\n`);
  chmodSync(program, 0o755);
  return join(folder, 'bin');
};
