import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readText } from './repository.js';
import { variableRows } from './service-configs.js';

describe('docs/deploy.md', () => {
  it('has a row for each variable of each service, as the code has it, and no other', async () => {
    const page = await readText('docs/deploy.md');
    const documented = [...page.matchAll(/^\| `[A-Z][A-Z0-9_]+` .*$/gm)].map(([row]) => row.replace(/ +\|/g, ' |'));
    const rows = variableRows();
    assert.deepEqual(documented.toSorted(), rows.toSorted(), `the rows are to be:\n${rows.join('\n')}`);
  });
});
