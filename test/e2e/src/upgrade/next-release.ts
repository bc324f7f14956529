// Loaded with `node --import` into a service: makes it a process of the next release, which knows a field, a nested field
// and a type of event more. Everything else is the same code.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';
import { changes } from './changes.js';

registerHooks({
  // A bundle contains the files of this release. The same program also runs from its compiled files.
  resolve: (specifier, context, nextResolve) => nextResolve(specifier.replace('/dist/bundled/', '/dist/'), context),
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    const file = Object.keys(changes).find((one) => url.endsWith(`/${one}`));
    if (file === undefined) return loaded;
    let source = readFileSync(fileURLToPath(url), 'utf8');
    for (const [text, next] of changes[file] ?? []) {
      if (!source.includes(text)) throw new Error(`the next release cannot change ${text} of ${file}`);
      source = source.replaceAll(text, next);
    }
    return { ...loaded, source };
  },
});
