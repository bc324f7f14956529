import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { commands, optionsOf } from './commands.js';
import { UsageError } from './errors.js';
import { commandHelp, generalHelp } from './help.js';
import { parseCommandLine } from './parse.js';

const refusal = (...words: string[]): string => {
  try {
    parseCommandLine(words);
  } catch (error) {
    assert.ok(error instanceof UsageError);
    return error.message;
  }
  return assert.fail(`${words.join(' ')} was accepted`);
};

describe('the command line', () => {
  it('has the longest command, its arguments and its options', () => {
    const parsed = parseCommandLine(['exports', 'download', 'x', '-o', 'file', '--overwrite']);
    assert.ok(parsed.kind === 'run');
    assert.equal(parsed.command.name, 'exports download');
    assert.deepEqual(parsed.args, ['x']);
    assert.deepEqual([parsed.options.text('output'), parsed.options.flag('overwrite')], ['file', true]);
    const listed = parseCommandLine(['quote', '--ticker', 'A,B', '--ticker=C']);
    assert.ok(listed.kind === 'run');
    assert.deepEqual(listed.options.list('ticker'), ['A', 'B', 'C']);
  });

  it('has an action or an argument as its second word', () => {
    const nameOf = (...words: string[]): string => {
      const parsed = parseCommandLine(words);
      return parsed.kind === 'run' ? [parsed.command.name, ...parsed.args].join(' / ') : parsed.kind;
    };
    assert.equal(nameOf('event', 'E-1'), 'event / E-1');
    assert.equal(nameOf('event', 'snapshots', 'E-1'), 'event snapshots / E-1');
    assert.equal(nameOf('event', '--', 'snapshots'), 'event / snapshots');
  });

  it('suggests the command, action, option or value that was probably meant', () => {
    assert.match(refusal('serch', 'x'), /Did you mean almanac-data search\?/);
    assert.match(refusal('exoprt'), /Did you mean almanac-data export\?/);
    assert.match(refusal('keys', 'creat'), /Did you mean almanac-data keys create\?/);
    assert.match(refusal('keys', 'frobnicate'), /Use one of: create, revoke/);
    assert.match(refusal('export', '--fromat', 'csv'), /Did you mean --format\?/);
    assert.match(refusal('export', '--format', 'parqet'), /Did you mean parquet\?/);
    assert.match(refusal('quote', '--streams', 'snapshots,l3'), /Did you mean l2\?/);
    assert.match(refusal('completion', 'tcsh'), /bash, zsh, fish/);
    assert.match(refusal('zzzzzz'), /See almanac-data --help/);
  });

  it('is refused with too few or too many words, and with contradictions', () => {
    assert.match(refusal('market'), /TICKER is missing/);
    assert.match(refusal('market', 'A', 'B'), /"B" is one word too many/);
    assert.match(refusal('plan', '--json', '--csv'), /exclude each other/);
    assert.match(refusal('market', '--url'), /argument missing/i);
    assert.match(refusal('--json', 'plan'), /comes before the command/);
  });

  it('shows help for everything that exists', () => {
    for (const words of [[], ['--help'], ['-h'], ['help']]) {
      assert.deepEqual(parseCommandLine(words), { kind: 'help', command: undefined });
    }
    const help = generalHelp().join('\n');
    for (const command of commands) {
      assert.ok(help.includes(`  ${command.name}`), command.name);
      assert.deepEqual(parseCommandLine(['help', ...command.name.split(' ')]), { kind: 'help', command });
      const own = commandHelp(command).join('\n');
      for (const name of Object.keys(optionsOf(command)))
        assert.ok(own.includes(`--${name}`), `${command.name} ${name}`);
    }
  });
});
