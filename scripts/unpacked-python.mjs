// How a Python with modules from unpacked Debian packages is found and started.
import { existsSync, symlinkSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

const modules = 'usr/lib/python3/dist-packages';
const matplotlibData = 'usr/share/matplotlib/mpl-data';
const matplotlibSettings = 'etc/matplotlibrc';

/** The machine's Python, which Debian's packages are compiled for, or else the one that came with them. */
export const pythonOf = (folder) =>
  ['/usr/bin/python3', join(folder, 'usr/bin/python3')].find((path) => existsSync(path));

/** Matplotlib looks for its data beside its code, and then in /usr/share, where an unpacked package has none. */
export const linkPythonData = (folder) => {
  const [link, target] = [join(folder, modules, 'matplotlib/mpl-data'), join(folder, matplotlibData)];
  if (existsSync(target) && !existsSync(link)) symlinkSync(relative(dirname(link), target), link);
};

/**
 * Lines of a start script. Modules are found by PYTHONPATH, the settings of Matplotlib by MATPLOTLIBRC, and an unpacked
 * Python finds its own library by PYTHONHOME. `folders` have libraries, and `fromHere` makes paths relative to the script.
 */
export const pythonLines = (folder, { path, folders, fromHere }) => {
  const libraries = folders.filter((one) => !/\/python3(\.\d+)?(\/|$)/.test(relative(folder, one)));
  const isOurs = path.startsWith(folder);
  const settings = join(folder, matplotlibSettings);
  return [
    `export PYTHONPATH="${fromHere(join(folder, modules))}\${PYTHONPATH:+:$PYTHONPATH}"`,
    ...(existsSync(settings) ? [`export MATPLOTLIBRC="${fromHere(settings)}"`] : []),
    ...(isOurs ? [`export PYTHONHOME="${fromHere(join(folder, 'usr'))}"`] : []),
    ...(libraries.length === 0 ? [] : [`export LD_LIBRARY_PATH="${libraries.map(fromHere).join(':')}"`]),
    `exec "${isOurs ? fromHere(path) : path}"`,
  ].join('\n');
};
