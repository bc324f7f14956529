import { describe, it } from 'node:test';
import { assertNoticed, type Mutant } from '@almanac/testing';

const rowsProof = new URL('both-ways.int.spec.js', import.meta.url);
const booksProof = new URL('both-ways-books.int.spec.js', import.meta.url);

/** Each takes a cell for plain that only its text decides, or stores what the other way does not. */
const mutantsOfRows: Readonly<Record<string, Mutant>> = {
  'a decimal that would be rounded is plain': {
    file: '/sources/csv-cells.js',
    from: 'scale > decimals',
    to: 'scale > places',
  },
  'float noise is plain': {
    file: '/sources/csv-cells.js',
    from: '(floatNoise && scale >= noisyDecimals)',
    to: 'false',
  },
  'cents are dollars': {
    file: '/sources/csv-cells.js',
    from: 'Math.max(0, fraction) + pointLeft',
    to: 'Math.max(0, fraction)',
  },
  'a number without digits is 0': { file: '/sources/csv-cells.js', from: 'digits === 0 || digits', to: 'digits' },
  'a carriage return is a part of the last cell': {
    file: '/sources/csv-cells.js',
    from: 'closing < 0 ? stop : closing',
    to: 'closing < 0 ? at : closing',
  },
  'an empty line is no line': { file: '/sources/csv-cells.js', from: 'line += 1;', to: 'line += cell > 1 ? 1 : 0;' },
  'a row with other columns is read': {
    file: '/sources/csv-cells.js',
    from: 'header === null && cell === columnCount',
    to: 'header === null && cell >= columnCount',
  },
  'a time of any year is plain': {
    file: '/sources/text-times.js',
    from: 'us >= earliestUs && us <= latestUs',
    to: 'us >= 0',
  },
  'a day of a shorter month is the next month': {
    file: '/sources/text-times.js',
    from: 'Number.isFinite(ms) && new Date(ms).toISOString().startsWith(day)',
    to: 'Number.isFinite(ms)',
  },
  'a price above 1 is stored': { file: '/import/columns/block-views.js', from: 'value <= one', to: 'value < Infinity' },
  'an error of the source is not seen': {
    file: '/import/columns/block-views.js',
    from: "refusals.textAt(row) !== ''",
    to: 'false',
  },
  'a strike that changes is not seen': {
    file: '/import/columns/block-views.js',
    from: '|| !isRepeated(market, row)',
    to: '',
  },
  'the price of the coin at the close is not seen': {
    file: '/import/columns/block-views.js',
    from: 'seePrice(market, price, at);',
    to: 'void 0;',
  },
  'equal rows differ if one was read from texts': {
    file: '/values/scaled.js',
    from: 'while (bytes[end - 1] === zero)',
    to: 'while (false)',
  },
  'a float is read with more digits than it states': {
    file: '/sources/column-cells.js',
    from: 'scaled / factor === value',
    to: 'true',
  },
  'an integer of 64 bits loses its high half': {
    file: '/intake/number-column.js',
    from: 'this.words[2 * row + 1] = value / two32;',
    to: '',
  },
  'a trade with a price above 1 is stored': {
    file: '/import/columns/bulk-trades.js',
    from: '!(price <= one)',
    to: '!(price >= 0)',
  },
  'a trade of nothing is stored': {
    file: '/import/columns/bulk-trades.js',
    from: 'size > 0 && size < emptyCell',
    to: 'size < emptyCell',
  },
  'a trade without a time is stored': {
    file: '/import/columns/bulk-trades.js',
    from: '!(Math.min(trade.receivedUs, trade.venueUs) < emptyCell)',
    to: 'Number.isNaN(Math.min(trade.receivedUs, trade.venueUs))',
  },
  'a trade of no has the price of yes': {
    file: '/import/columns/bulk-trades.js',
    from: 'isOfNo ? one - price : price',
    to: 'price',
  },
  'a side that nobody knows is none': {
    file: '/import/columns/bulk-trades.js',
    from: 'isPlain: side === takerSide',
    to: 'isPlain: true',
  },
  'an id is not trimmed': { file: '/import/columns/bulk-trades.js', from: 'code <= 0x20', to: 'code < 0x20' },
  'an id of any length is plain': {
    file: '/import/columns/bulk-trades.js',
    from: 'id.length > idCharsMax',
    to: 'id.length > 300',
  },
  'an id of 128 bytes has the length 0': {
    file: '/trades/trade-columns-batch.js',
    from: 'bytes >= 0x80',
    to: 'bytes > 0x80',
  },
  'a time without a zone is in UTC': {
    file: '/sources/text-times.js',
    from: 'zoneAt === to && !isAssumed',
    to: 'false',
  },
};

/** Each reads a row of an hour by column as its record would not be read, or stores a book with other numbers. */
const mutantsOfBooks: Readonly<Record<string, Mutant>> = {
  'a change of a book has no price': {
    file: '/recordings/hour-run.js',
    from: 'stated > 0 && stated < one',
    to: 'stated >= 0',
  },
  'a level of the other token is not turned': {
    file: '/recordings/hour-run.js',
    from: 'isBid ? stated : one - stated',
    to: 'stated',
  },
  'a bid of the other token is a bid': {
    file: '/recordings/hour-run.js',
    from: 'isYes === isBid ? 1 : 0',
    to: 'isBid ? 1 : 0',
  },
  'an empty side has a best price': {
    file: '/recordings/hour-run.js',
    from: 'price > 0 && price < one ? price : NaN',
    to: 'price',
  },
  'the venue states a side without an ask': {
    file: '/recordings/hour-run.js',
    from: 'ask === emptyCell ? besides.top',
    to: 'ask < 0 ? besides.top',
  },
  'a book with other best prices goes on': {
    file: '/books/take-run.js',
    from: 'if (isContradicted(market.claims, book))',
    to: 'if (false)',
  },
  'an earlier time is taken': { file: '/books/take-run.js', from: 'if (at < last)', to: 'if (false)' },
  'an earlier time of the other token is taken': {
    file: '/books/take-run.js',
    from: 'if (next < last)',
    to: 'if (false)',
  },
  'the time before a change is not kept': {
    file: '/books/take-run.js',
    from: 'if (market.venueUs !== sentUs)',
    to: 'if (false)',
  },
  'a market has the line of the run': { file: '/books/take-run.js', from: 'run.at = row;', to: '' },
  'neighbouring rows of another market are those of the present one': {
    file: '/recordings/hour-run.js',
    from: 'cells.token(row) === token &&',
    to: '',
  },
  'a whole book of the hour is a change': {
    file: '/recordings/hourly-scan.js',
    from: 'isBook: kind === cells.book',
    to: 'isBook: false',
  },
  'a size of 64 bits loses its high half': {
    file: '/books/book-batch.js',
    from: 'toSizes[2 * at + 1] = size / two32;',
    to: '',
  },
  'the age of the price of a coin is the price': {
    file: '/books/book-batch.js',
    from: 'putOrNull(this.coinAgeUs, at, row.coinAgeUs);',
    to: 'putOrNull(this.coinAgeUs, at, row.us);',
  },
  'a decimal of a file has other digits': {
    file: '/sources/column-cells.js',
    from: '10 ** (form.places - places)',
    to: '10 ** form.places',
  },
};

describe('the proof that both ways give the same', () => {
  for (const [proof, mutants] of [
    [rowsProof, mutantsOfRows],
    [booksProof, mutantsOfBooks],
  ] as const)
    for (const [what, mutant] of Object.entries(mutants)) {
      it(`fails if ${what}`, async () => {
        await assertNoticed(proof, mutant);
      });
    }
});
