// Loaded with `node --import` into a service: makes it a process of the next release, which knows a field, a nested field
// and a type of event more. Everything else is the same code.
import { readFileSync } from 'node:fs';
import { registerHooks } from 'node:module';
import { fileURLToPath } from 'node:url';

/** Replacements in compiled files. Each text must occur, so a change of the code cannot make the next release equal. */
const changes: Readonly<Record<string, readonly (readonly [string, string])[]>> = {
  'libs/contracts/dist/event-formats.js': [['{ format: ', '{ format: 1 + ']],
  'libs/contracts/dist/keys.js': [[' hash: z.string(),', ' hash: z.string(), scope: z.string().optional(),']],
  'libs/contracts/dist/commerce.js': [
    [' credits_used: z.int(),', ' credits_used: z.int(), note: z.string().optional(),'],
    ["'CartLinesRemoved'", "'CartLinesDropped'"],
  ],
  'libs/contracts/dist/export-events.js': [
    [' requested_us: micros.meta(', ' tag: z.string().optional(), requested_us: micros.meta('],
    ["'ExportCancelled'", "'ExportWithdrawn'"],
  ],
  'services/keys/dist/keyring/keyring.decider.js': [
    ['[...state.keys, domainEvent.data]', "[...state.keys, { ...domainEvent.data, scope: 'next' }]"],
  ],
  'services/commerce/dist/account/account.decider.js': [
    ['cart: [...state.cart, domainEvent.data]', "note: 'next', cart: [...state.cart, domainEvent.data]"],
    ["'CartLinesRemoved'", "'CartLinesDropped'"],
  ],
  'services/commerce/dist/account/cart-rules.js': [["'CartLinesRemoved'", "'CartLinesDropped'"]],
  'services/export/dist/exports/export.decider.js': [
    ["status: 'pending', id, account, ", "status: 'pending', id, account, tag: 'next', "],
    ["'ExportCancelled'", "'ExportWithdrawn'"],
  ],
};

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
