import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { optionsOf } from './options.js';
import { full, smoke } from './size.js';

describe('the options of the bench', () => {
  it('choose the full size, and the smoke size only with --smoke, in any position', () => {
    assert.equal(optionsOf([]).size, full);
    assert.equal(optionsOf(['search', 'memory']).size, full);
    assert.equal(optionsOf(['--smoke']).size, smoke);
    assert.equal(optionsOf(['search', '--smoke', 'memory']).size, smoke);
  });

  it('include parts of names, and a folder for profiles', () => {
    const { parts, profile } = optionsOf(['search', '--smoke', '--profile', '/profiles', 'memory']);
    assert.deepEqual([parts, profile], [['search', 'memory'], '/profiles']);
    assert.deepEqual(optionsOf([]), { size: full, parts: [], profile: undefined });
  });

  it('refuse an unknown option, so that a typing error never starts the full run', () => {
    assert.throws(() => optionsOf(['--smok']), /--smok/);
  });
});
