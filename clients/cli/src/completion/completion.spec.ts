import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { bashCompletion } from './bash.js';
import { fishCompletion } from './fish.js';
import { allCommands } from './words.js';
import { zshCompletion } from './zsh.js';

const folder = mkdtempSync(join(tmpdir(), 'almanac-completion-'));
after(() => rmSync(folder, { recursive: true }));
writeFileSync(join(folder, 'almanac.bash'), bashCompletion().join('\n'));
mkdirSync(join(folder, 'data'));
writeFileSync(join(folder, 'notes.txt'), '');

/** What bash offers for the last word. */
const offered = (...words: string[]): string[] => {
  const script = `
    source almanac.bash
    COMP_WORDS=(almanac-data "$@")
    COMP_CWORD=$#
    compopt() { :; }
    $(complete -p almanac-data | sed 's/.*-F \\([^ ]*\\).*/\\1/')
    printf '%s\\n' "\${COMPREPLY[@]}"`;
  const output = execFileSync('bash', ['--norc', '-c', script, 'bash', ...words], { cwd: folder, encoding: 'utf8' });
  return output.split('\n').filter((line) => line !== '');
};

describe('completion in bash', () => {
  it('offers commands and their actions', () => {
    assert.deepEqual(offered('sea'), ['search']);
    assert.deepEqual(offered('ex'), ['export', 'exports']);
    assert.deepEqual(offered('exports', ''), ['get', 'wait', 'download', 'cancel', 'formats']);
    assert.deepEqual(offered('keys', 'r'), ['revoke']);
    assert.deepEqual(offered('keys', 'revoke', ''), []);
  });

  it('offers the options of the command, and their values', () => {
    assert.deepEqual(offered('export', '--o'), ['--output', '--overwrite']);
    assert.deepEqual(offered('keys', 'create', '--na'), ['--name']);
    assert.deepEqual(offered('keys', '--na'), []);
    assert.deepEqual(offered('export', '--format', 'p'), ['parquet']);
    assert.deepEqual(offered('search', 'x', '--status', ''), ['live', 'closed', 'finalized']);
    assert.deepEqual(offered('completion', 'z'), ['zsh']);
    assert.deepEqual(offered('search', '--limit', ''), []);
  });

  it('offers files and folders where one is meant', () => {
    assert.deepEqual(offered('export', '-o', 'no'), ['notes.txt']);
    assert.deepEqual(offered('sync', ''), ['data']);
  });

  it('offers every option of every command', () => {
    for (const { name, options } of allCommands) {
      const found = offered(...name.split(' '), '--');
      for (const option of Object.keys(options)) assert.ok(found.includes(`--${option}`), `${name} --${option}`);
    }
  });
});

for (const [shell, lines] of [
  ['zsh', zshCompletion()],
  ['fish', fishCompletion()],
] as const) {
  it(`completion in ${shell} names every command and option`, () => {
    const script = lines.join('\n');
    for (const { name, options } of allCommands) {
      for (const word of name.split(' ')) assert.ok(script.includes(word), name);
      for (const option of Object.keys(options)) assert.ok(script.includes(option), `${name} --${option}`);
    }
  });
}
