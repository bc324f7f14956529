import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseMapping } from '../../mapping/load-mapping.js';
import { contentOf } from '../testing/archive-content.js';
import { importPath } from '../testing/import-files.js';
import { withFolder } from '../testing/with-folder.js';

/** The same rows in dollars and contracts, and as the integers that a recorder stores. */
interface Twin {
  readonly plain: { readonly csv: string; readonly fields: string };
  readonly scaled: { readonly csv: string; readonly fields: string };
}

const at = '2026-03-04T05:06:07Z';
const twins: Readonly<Record<string, Twin>> = {
  quotes: {
    plain: {
      csv: `market,at,bid,ask,bs,as,coin\nA-1,${at},0.48,0.4925,12.5,7,65573.25\n`,
      fields:
        'ts: { column: at, unit: iso }\n  yes_best_bid: { column: bid }\n  yes_best_ask: { column: ask }\n  yes_best_bid_size: { column: bs }\n  yes_best_ask_size: { column: as }\n  coin_price: { column: coin }',
    },
    scaled: {
      csv: `market,at,bid,ask,bs,as,coin\nA-1,${at},4800,4925,1250,700,6557325\n`,
      fields:
        'ts: { column: at, unit: iso }\n  yes_best_bid: { column: bid, unit: 1e-4 }\n  yes_best_ask: { column: ask, unit: "1e-4" }\n  yes_best_bid_size: { column: bs, unit: 1e-2 }\n  yes_best_ask_size: { column: as, unit: 0.01 }\n  coin_price: { column: coin, unit: 1e-2 }',
    },
  },
  trades: {
    plain: {
      csv: `market,id,at,px,qty\nA-1,t1,${at},0.4875,12.5\n`,
      fields:
        'trade_id: { column: id }\n  ts: { column: at, unit: iso }\n  price: { column: px }\n  size: { column: qty }',
    },
    scaled: {
      csv: `market,id,at,px,qty\nA-1,t1,${at},487500,1250\n`,
      fields:
        'trade_id: { column: id }\n  ts: { column: at, unit: iso }\n  price: { column: px, unit: 1e-6 }\n  size: { column: qty, unit: 1e-2 }',
    },
  },
  levels: {
    plain: {
      csv: `market,at,side,px,qty\nA-1,${at},yes,0.48,12.5\nA-1,${at},no,0.5075,7\n`,
      fields:
        'ts: { column: at, unit: iso }\n  book_event: { constant: snapshot }\n  side: { column: side }\n  price: { column: px }\n  size: { column: qty }',
    },
    scaled: {
      csv: `market,at,side,px,qty\nA-1,${at},yes,4800,1250\nA-1,${at},no,5075,700\n`,
      fields:
        'ts: { column: at, unit: iso }\n  book_event: { constant: snapshot }\n  side: { column: side }\n  price: { column: px, unit: 1e-4 }\n  size: { column: qty, unit: 1e-2 }',
    },
  },
  'lists of levels': {
    plain: {
      csv: `market,at,bids\nA-1,${at},"[[0.48,12.5],[0.47,3]]"\n`,
      fields: 'ts: { column: at, unit: iso }\n  yes_bids: { column: bids }\n',
    },
    scaled: {
      csv: `market,at,bids\nA-1,${at},"[[4800,1250],[4700,300]]"\n`,
      fields: 'ts: { column: at, unit: iso }\n  yes_bids: { column: bids, unit: 1e-4, size_unit: 1e-2 }\n',
    },
  },
  candles: {
    plain: {
      csv: `market,end,close,volume\nA-1,2026-03-04T06:00:00Z,0.4875,12.5\n`,
      fields:
        'candle_end_ts: { column: end, unit: iso }\n  candle_period: { constant: 1h }\n  price_close: { column: close }\n  volume: { column: volume }',
    },
    scaled: {
      csv: `market,end,close,volume\nA-1,2026-03-04T06:00:00Z,4875,1250\n`,
      fields:
        'candle_end_ts: { column: end, unit: iso }\n  candle_period: { constant: 1h }\n  price_close: { column: close, unit: 1e-4 }\n  volume: { column: volume, unit: 1e-2 }',
    },
  },
};

const imported = ({ csv, fields }: Twin['plain']) =>
  withFolder(async (folder) => {
    const path = join(folder, 'rows.csv');
    await writeFile(path, csv);
    const columns = csv.slice(0, csv.indexOf('\n'));
    const mapping = `name: mine\nmatch: { columns: [${columns}] }\nfields:\n  ticker: { column: market }\n  ${fields}`;
    const { report, ...archive } = await importPath(path, { mapping });
    return { content: contentOf(archive), candles: [...archive.candles.values()], refused: report.refused };
  });

describe('integers of powers of ten are the decimals that they mean', () => {
  for (const [name, { plain, scaled }] of Object.entries(twins))
    it(`in ${name}`, async () => {
      const expected = await imported(plain);
      const stored = [...expected.content.rows, ...expected.content.trades, ...expected.candles];
      assert.equal(stored.length, 1);
      assert.deepEqual(await imported(scaled), expected);
    });

  for (const unit of ['1e-0', '1e4', '0.5', '2e-4', '1e-19', 'euros'])
    it(`and the unit ${unit} is refused`, () => {
      const mapping = `name: mine\nfields:\n  ticker: { column: m }\n  ts: { column: at, unit: s }\n  yes_best_bid: { column: b, unit: ${unit} }`;
      assert.throws(() => parseMapping(mapping, 'mine.yaml'), /power of ten such as 1e-4/);
    });
});
