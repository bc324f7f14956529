// The command lines of npm start, npm test and npm run bench. They are checked before anything is fetched or built.
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { StepError, repository } from './steps.mjs';

const helpOptions = ['--help', '-h'];

/**
 * Returns the arguments, or undefined after --help, which prints the usage. Rejects with a StepError for an unknown
 * option, and without `takesNames` for every other argument. `valued` are the options that take a value, `variables`
 * the environment variables that a user may take for options, and `lastLine` ends the message of an error.
 */
export const commandLine = async ({ command, usage, lastLine, ...known }) => {
  const given = process.argv.slice(2);
  if (given.some((argument) => helpOptions.includes(argument))) {
    console.log(usage);
    return undefined;
  }
  const fault = await faultIn(given, { command, ...known });
  if (fault === undefined) return given;
  const lines = [`${fault} To list the options, run: ${command} -- --help`, lastLine];
  throw new StepError(lines.filter(Boolean).join('\n'));
};

const faultIn = async (given, { command, options = [], valued = [], variables = [], takesNames = false }) => {
  for (const [index, argument] of given.entries()) {
    const [name] = argument.split('=');
    if (options.includes(argument) || valued.includes(given[index - 1])) continue;
    if (valued.includes(name)) {
      if (argument === name && index === given.length - 1) return `${name} needs a value.`;
    } else if (argument.startsWith('-')) {
      return `Unknown option ${name}.${await didYouMean(name, [...options, ...valued, '--help', ...variables])}`;
    } else if (!takesNames) return `${command} takes no argument such as ${argument}.`;
  }
  return undefined;
};

/** Before the first build, there is no nearest name. */
const didYouMean = async (name, names) => {
  const compiled = join(repository, 'libs', 'runtime', 'dist', 'nearest-name.js');
  if (!existsSync(compiled)) return '';
  const { nearestName } = await import(pathToFileURL(compiled).href);
  const nearest = nearestName(name, names);
  return nearest === undefined ? '' : ` Did you mean ${nearest}?`;
};
