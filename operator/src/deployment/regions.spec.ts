import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withRegions } from './regions.js';

const made = '# Made from libs/contracts/src/services.ts:';

describe('the regions of a file', () => {
  it('are replaced with their lines, indented as they are, and the rest stays', () => {
    const text = `a:\n  ${made} one\n  - old\n  - older\n  # End\n  - written\n${made} two\n# End\nend\n`;
    assert.equal(
      withRegions('file', text, { one: ['- new'], two: ['x=', '', 'y='] }),
      `a:\n  ${made} one\n  - new\n  # End\n  - written\n${made} two\nx=\n\ny=\n# End\nend\n`,
    );
  });

  it('are refused if one is missing, unknown or without an end', () => {
    assert.throws(() => withRegions('file', 'a: 1\n', { one: [] }), /^Error: file has no region one$/);
    assert.throws(
      () => withRegions('file', `${made} other\n# End\n`, {}),
      /^Error: file has an unknown region: other$/,
    );
    assert.throws(
      () => withRegions('file', `  ${made} one\n# End\n`, { one: [] }),
      /file has no end of the region one/,
    );
  });
});
