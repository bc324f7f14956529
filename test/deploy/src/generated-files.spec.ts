import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deploymentFiles } from '@almanac/system';
import { readText } from './repository.js';

describe('the generated deployment files', () => {
  for (const [path, made] of deploymentFiles()) {
    it(`${path} is what npm run deploy:make writes`, async () => {
      assert.equal(await readText(path), made, 'run npm run deploy:make and commit what it wrote');
    });
  }
});
