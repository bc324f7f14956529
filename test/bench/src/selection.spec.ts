import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isRow } from './row.js';
import { entriesOf } from './rows.js';
import { noMatch, optionsOf, profileLines, selectedOf } from './selection.js';
import { full, smoke } from './size.js';

describe('the options of the bench', () => {
  it('choose the full size, and the smoke size only with --smoke, in any position', () => {
    assert.equal(optionsOf([]).size, full);
    assert.equal(optionsOf(['search', 'memory']).size, full);
    assert.equal(optionsOf(['--smoke']).size, smoke);
    assert.equal(optionsOf(['search', '--smoke', 'memory']).size, smoke);
  });

  it('include parts of names, the list of profiles, and a folder for CPU profiles', () => {
    const { names, cpuProfiles } = optionsOf(['search', '--smoke', '--cpu-profiles', '/profiles', 'memory']);
    assert.deepEqual([names, cpuProfiles], [['search', 'memory'], '/profiles']);
    assert.equal(optionsOf(['--profiles']).listsProfiles, true);
    assert.deepEqual(optionsOf([]), { size: full, names: [], listsProfiles: false, cpuProfiles: undefined });
  });

  it('refuse an unknown option, so that a typing error never starts a whole run', () => {
    assert.throws(() => optionsOf(['--smok']), /--smok/);
  });
});

describe('the selection of rows and profiles', () => {
  const entries = entriesOf(full);
  const selected = (...args: string[]) => selectedOf(entries, optionsOf(args)).map(({ name }) => name);

  it('has every row without a name, and with --smoke also every profile', () => {
    assert.deepEqual(
      selected(),
      entries.filter(isRow).map(({ name }) => name),
    );
    assert.equal(selected('--smoke').length, entries.length);
  });

  it('has with names those which contain one of them, rows and profiles alike', () => {
    const found = ['TypeScript client, all pages of 1.05 million snapshots', 'growth of the archive to 720 M rows'];
    assert.deepEqual(selected('typescript client, all', 'Archive'), found);
  });

  it('lists the nearest names if none matches', () => {
    assert.deepEqual(selected('webhok deliverys'), []);
    const [said, first, ...others] = noMatch(entries, ['webhok deliverys']).split('\n');
    assert.deepEqual(
      [said?.slice(0, 60), first],
      ['The name of no row or profile contains webhok deliverys. The', '  webhook deliveries'],
    );
    assert.equal(others.length, 5);
  });

  it('lists each profile with what it shows', () => {
    const lines = profileLines(entries);
    assert.equal(lines.length, entries.filter((entry) => !isRow(entry)).length);
    assert.ok(lines.every((line) => /\S {2,}\S.*\.$/.test(line)));
  });
});
