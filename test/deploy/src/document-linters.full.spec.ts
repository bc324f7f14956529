// In the full run: it installs both linters from npm, which are 300 MB.
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { npmWith } from '@almanac/testing';
import { z } from 'zod';

const document = fileURLToPath(new URL('../../../docs/openapi.json', import.meta.url));
const packages = ['@stoplight/spectral-cli@6.16.3', '@redocly/cli@2.77.0'];
/** Recommended rules of Spectral that are off: docs/checked-by-others.md has the reasons. */
const off = { 'info-contact': 'off', 'array-items': 'off' };
const spectralReport = z.array(z.looseObject({ code: z.string(), path: z.array(z.union([z.string(), z.number()])) }));
const redoclyReport = z.looseObject({ problems: z.array(z.looseObject({ ruleId: z.string() })) });

describe('the document of the API, to linters', { timeout: 900_000 }, () => {
  let folder = '';
  let programs = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-linters-'));
    programs = await npmWith(folder, packages);
  });
  after(() => rm(folder, { recursive: true, force: true }));

  /** A linter that finds something ends with 1. */
  const report = (program: string, ...args: readonly string[]): Promise<unknown> =>
    new Promise((resolve, reject) => {
      const options = { cwd: folder, maxBuffer: 64 * 1_048_576 };
      execFile(join(programs, program), [...args], options, (error, stdout) => {
        try {
          resolve(JSON.parse(stdout));
        } catch (cause) {
          reject(error ?? (cause instanceof Error ? cause : new Error(stdout)));
        }
      });
    });

  it('has the recommended rules of Spectral', async () => {
    const rules = join(folder, 'rules.json');
    await writeFile(rules, JSON.stringify({ extends: ['spectral:oas'], rules: off }));
    const found = spectralReport.parse(await report('spectral', 'lint', '-q', '-f', 'json', '-r', rules, document));
    assert.deepEqual(
      found.map(({ code, path }) => `${code} at ${path.join('.')}`),
      [],
    );
  });

  it('has the recommended rules of Redocly', async () => {
    const found = await report('redocly', 'lint', '--extends', 'recommended', '--format', 'json', document);
    assert.deepEqual(redoclyReport.parse(found).problems, []);
  });
});
