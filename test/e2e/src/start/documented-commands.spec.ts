import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { differenceFrom } from './documented-commands.js';
import { repository } from './npm-start.js';

describe('the comparison of a shown answer', () => {
  const shown = '{"id":"GENBTC15M-26NOV201130-30","count":3,…,"bid":0.49,"ts":1795173358,…"more":false}';
  const actual =
    '{"id":"GENBTC15M-27JAN010015-15","count":3,"x":1,"bid":0.51,"ts":1795352400.5,"url":"http:…","more":false}';

  it('accepts other times, prices and tickers, and what is left out', () => {
    assert.equal(differenceFrom(shown, actual), null);
  });

  it('accepts a table whose lines end and begin with numbers', () => {
    const table = '2026-11-29 00:45:00  0.49\n2026-11-29 00:45:02  0.47\n2026-11-29 00:45:04  0.45\n\n[3 rows]';
    const shownTable = '2026-11-28 23:45:00  0.51\n…\n2026-11-28 23:45:04  0.44\n\n[3 rows]';
    assert.equal(differenceFrom(shownTable, table), null);
    assert.notEqual(differenceFrom(shownTable, table.replace('[3 rows]', '[4 rows]')), null);
  });

  it('rejects another stable value, a missing or renamed field, another order and another type', () => {
    for (const [part, other] of [
      ['"count":3', '"count":4'],
      ['"more":false', '"more":true'],
      ['"bid":0.51,', ''],
      ['"bid":0.51', '"best_bid":0.51'],
      ['"bid":0.51', '"bid":"0.51"'],
      ['"bid":0.51,"ts":1795352400.5', '"ts":1795352400.5,"bid":0.51'],
      ['"ts":1795352400.5', '"ts":null'],
      ['{"id"', '{"a":1,"id"'],
      ['false}', 'false,"z":1}'],
    ] as const) {
      assert.notEqual(differenceFrom(shown, actual.replace(part, other)), null, other);
    }
  });
});

describe('the commands of the documentation', () => {
  it('exist as scripts of the package', async () => {
    const { scripts } = z
      .object({ scripts: z.record(z.string(), z.string()) })
      .parse(JSON.parse(await readFile(join(repository, 'package.json'), 'utf8')));
    for (const path of ['README.md', 'CONTRIBUTING.md', 'docs/tour.md', 'docs/operating.md']) {
      const text = await readFile(join(repository, path), 'utf8');
      // `npm install` is npm's own command.
      const named = /(?:^|`|\()npm (?!install )(?:run )?(?:--silent )?([a-z:]+)(?= |`|\n)/gm;
      for (const [, name = ''] of text.matchAll(named)) assert.ok(name in scripts, `${path}: npm run ${name}`);
    }
  });
});
