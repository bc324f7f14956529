import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { datasetIdOf } from '@almanac/contracts';
import { pythonWith } from '@almanac/testing';
import { type ExportHarness, type Ready, startRunningHarness } from '../testing/harness.js';

const run = promisify(execFile);
const packages = ['mlcroissant==1.1.1', 'pandas', 'pyarrow', 'datacite==1.4.1'];

/** Loads the rows of the file that the metadata names. It warns of recommended fields and fails on wrong ones. */
const loadRows = `
import itertools, json, sys
import mlcroissant
dataset = mlcroissant.Dataset(jsonld=sys.argv[1])
rows = list(itertools.islice(dataset.records(record_set="rows"), 100)) if dataset.metadata.record_sets else []
print(json.dumps({"errors": list(dataset.metadata.ctx.issues.errors), "rows": len(rows), "columns": len(rows[0]) if rows else 0}))
`;
/** The schema needs an identifier only when a DOI is registered. */
const validateDatacite = `
import json, sys
from datacite import schema45
metadata = json.load(open(sys.argv[1]))
schema45.validator.validate(metadata)
print(json.dumps({"errors": []}))
`;

describe('the metadata of a dataset, to the programs of the standards', { timeout: 580_000 }, () => {
  let harness: ExportHarness;
  let folder = '';
  let python = '';
  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-standards-'));
    python = await pythonWith(folder, packages);
    harness = await startRunningHarness();
  });
  after(async () => {
    await harness.close();
    await rm(folder, { recursive: true, force: true });
  });

  const stored = async (state: Ready, standard: 'croissant' | 'datacite'): Promise<string> => {
    const path = join(folder, `${state.id}-${standard}.json`);
    await writeFile(path, JSON.stringify(await harness.metadata(datasetIdOf(state.file.sha256, undefined), standard)));
    return path;
  };
  const check = async (program: string, path: string): Promise<unknown> =>
    JSON.parse((await run(python, ['-c', program, path], { cwd: folder })).stdout);

  for (const [format, rows] of [
    ['csv', 3],
    ['parquet', 3],
    ['jsonl.gz', 0],
  ] as const) {
    it(`loads the rows of ${format} by Croissant, and is valid DataCite`, async () => {
      const { event } = await harness.change();
      const state = await harness.ready({ event, format });
      const file = await fetch((await harness.link(state.id)).url);
      await writeFile(join(folder, state.filename), Buffer.from(await file.arrayBuffer()));
      const columns = rows === 0 ? 0 : 19;
      assert.deepEqual(await check(loadRows, await stored(state, 'croissant')), { errors: [], rows, columns });
      assert.deepEqual(await check(validateDatacite, await stored(state, 'datacite')), { errors: [] });
    });
  }
});
