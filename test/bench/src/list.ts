import { entriesOf } from './rows.js';
import { noMatch, optionsOf, profileLines, selectedOf } from './selection.js';

/** Runs before anything is fetched or started: lists the profiles, and exits with 1 when no name matches. */
const options = optionsOf(process.argv.slice(2));
const entries = entriesOf(options.size);
if (options.listsProfiles) {
  for (const line of profileLines(entries)) console.log(line);
} else if (selectedOf(entries, options).length === 0) {
  console.error(noMatch(entries, options.names));
  process.exitCode = 1;
}
