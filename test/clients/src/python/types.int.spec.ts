import assert from 'node:assert/strict';
import { it } from 'node:test';
import { runPython } from './python.js';

it('mypy accepts the types of the Python client in strict mode', async () => {
  const { code, output, errors } = await runPython(['-m', 'mypy', '--cache-dir=/dev/null']);
  assert.equal(code, 0, output + errors);
});
