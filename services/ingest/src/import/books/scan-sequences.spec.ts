import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { sequenceScan } from './scan-sequences.js';

const at = (seq: number) => ({ us: seq * 1_000, sid: 1, seq });

/** Two files of one subscription. Both begin at 1, and the first has 1, 2 and 5, the second 3 and 4. */
const scanOfTwo = () => {
  const scan = sequenceScan();
  const add = (path: string, ...numbers: readonly number[]) => {
    for (const seq of numbers) scan.add(path, at(seq), { ticker: path, isFirst: false });
  };
  add('one', 1, 2, 5, 6, 7, 8, 9, 10, 11, 12);
  add('other', 3, 4);
  return scan;
};

describe('numbers of several files', () => {
  it('are no loss where another file has them', () => {
    const found = scanOfTwo().found();
    assert.equal(found.ruleOf('one', 1), 'whole');
    assert.equal(found.isLost('one', at(2), at(5)), false);
  });

  it('are a loss where no file has them', () => {
    const scan = scanOfTwo();
    scan.add('one', at(15), { ticker: 'one', isFirst: false });
    assert.equal(scan.found().isLost('one', at(12), at(15)), true);
  });

  it('are a loss after what was read of a long file, because another file may lack them too', () => {
    const scan = scanOfTwo();
    scan.cut('one');
    const found = scan.found();
    assert.equal(found.isLost('one', at(2), at(5)), false);
    assert.equal(found.isLost('one', at(20), at(23)), true);
  });
});
