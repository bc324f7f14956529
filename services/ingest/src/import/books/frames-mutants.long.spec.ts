import { describe, it } from 'node:test';
import { assertNoticed, type Mutant } from '@almanac/testing';

const framesProof = new URL('frames-by-column.spec.js', import.meta.url);
const linesProof = new URL('../../recordings/plain-frames.spec.js', import.meta.url);

/** Each takes rows of frames otherwise than their messages. */
const mutantsOfFrames: Readonly<Record<string, Mutant>> = {
  'a jump is no loss': { file: '/books/take-frames.js', from: 'seq !== lastSeq + 1 &&', to: 'false &&' },
  'numbers of each market are those of all': {
    file: '/books/take-frames.js',
    from: "rule !== 'whole' && rule !== 'shared'",
    to: 'false',
  },
  'an earlier time is taken': { file: '/books/take-frames.js', from: 'us < lastUs ||', to: '' },
  'a silence is none': { file: '/books/take-frames.js', from: 'us - lastUs > state.silenceUs', to: 'false' },
  'a book that is not certain is changed': {
    file: '/books/take-frames.js',
    from: 'market.certainSinceUs === null',
    to: 'false',
  },
  'the last message has no content': {
    file: '/books/take-frames.js',
    from: "message?.kind === 'change'",
    to: 'false',
  },
  'best prices are not compared': { file: '/books/take-frames.js', from: 'claim(market, columns, at);', to: '' },
  'a hash is never due': {
    file: '/venues/polymarket/polymarket-hash.js',
    from: 'known !== undefined && !(ms',
    to: 'false && !(ms',
  },
  'a market has the line of the last message': {
    file: '/books/book-intake.js',
    from: 'this.line = lineIn(run, row - 1);',
    to: 'void 0;',
  },
};

/** Each reads a line as plain that is not. */
const mutantsOfLines: Readonly<Record<string, Mutant>> = {
  'a number has leading zeros': {
    file: '/sources/frame-scanner.js',
    from: '(digits > 1 && bytes[from] === zero)',
    to: 'false',
  },
  'a time is cut to microseconds': {
    file: '/sources/frame-scanner.js',
    from: 'if (bytes[place] !== zero)',
    to: 'if (false)',
  },
  'a decimal has two points': {
    file: '/sources/frame-scanner.js',
    from: 'code === point && fractionAt < 0',
    to: 'code === point',
  },
  'a day of a shorter month is the next month': {
    file: '/sources/frame-scanner.js',
    from: 'Number.isFinite(ms) && new Date(ms).toISOString().startsWith(text)',
    to: 'Number.isFinite(ms)',
  },
  'a text has characters above ASCII': {
    file: '/sources/frame-scanner.js',
    from: 'code <= lastPlain',
    to: 'code <= 255',
  },
  'a line has more behind its frame': {
    file: '/sources/frame-scanner.js',
    from: 'return this.bytes[this.at] === lineEnd;',
    to: 'return true;',
  },
  'a name comes twice': {
    file: '/venues/kalshi/kalshi-plain.js',
    from: 'bit === 0 || (seen & bit) !== 0',
    to: 'bit === 0',
  },
  'a name is missing': { file: '/venues/kalshi/kalshi-plain.js', from: '(seen & ofNeeded) === ofNeeded', to: 'true' },
  'a price is 1': { file: '/venues/kalshi/kalshi-plain.js', from: 'price < one', to: 'price <= one' },
  'milliseconds come before the exact time': {
    file: '/venues/kalshi/kalshi-plain.js',
    from: '(seen & of.ts) === 0',
    to: 'true',
  },
  'changes of the other token are left out': {
    file: '/venues/polymarket/polymarket-plain.js',
    from: '!this.led.has(market)',
    to: 'false',
  },
  'a bid of the other token is a bid': {
    file: '/venues/polymarket/polymarket-plain.js',
    from: 'isYes === isBid ? 1 : 0',
    to: 'isYes ? 1 : 0',
  },
  'rows of another subscription go on': { file: '/recordings/plain-frames.js', from: 'run.sid === sid', to: 'true' },
};

describe('the proof that frames by column are those that are parsed', () => {
  for (const [proof, mutants] of [
    [framesProof, mutantsOfFrames],
    [linesProof, mutantsOfLines],
  ] as const)
    for (const [what, mutant] of Object.entries(mutants)) {
      it(`fails if ${what}`, async () => {
        await assertNoticed(proof, mutant);
      });
    }
});
