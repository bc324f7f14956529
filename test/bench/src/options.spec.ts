import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isSelected, optionsOf } from './options.js';
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

  it('select rows by a part of their name, and long rows by its beginning', () => {
    const short = { name: 'a market read before' };
    const long = { name: 'growth: a market read before at 720 M rows', isLong: true };
    const selected = (...args: string[]) => [short, long].map((row) => isSelected(row, optionsOf(args)));
    assert.deepEqual(selected(), [true, false]);
    assert.deepEqual(selected('--smoke'), [true, true]);
    assert.deepEqual(selected('read before'), [true, false]);
    assert.deepEqual(selected('growth'), [false, true]);
    assert.deepEqual(selected('import'), [false, false]);
  });
});
