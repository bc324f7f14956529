/**
 * Loaded with `--import` before a test: replaces a fragment of one compiled file, to show that the test notices. `mutant.ts`
 * sets the variable.
 */
import { registerHooks } from 'node:module';
import { mutantOf, mutantVariable } from './mutant.js';

const { file, from, to } = mutantOf(process.env[mutantVariable] ?? '');

registerHooks({
  load: (url, context, nextLoad) => {
    const loaded = nextLoad(url, context);
    if (!url.endsWith(file)) return loaded;
    const { source: code } = loaded;
    const source = typeof code === 'string' ? code : Buffer.from((code ?? new Uint8Array()) as Uint8Array).toString();
    if (source.split(from).length !== 2) throw new Error(`${file} does not have exactly one: ${from}`);
    return { ...loaded, source: source.replace(from, () => to) };
  },
});
