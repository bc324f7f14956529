import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { after, before, beforeEach, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { datasetIdOf, DomainError, fileState } from '@almanac/contracts';
import { execute, jetStreamStore } from '@almanac/event-store';
import { eventually } from '@almanac/testing';
import { unixMicros } from '@almanac/runtime';
import { exportDecider } from '../exports/export.decider.js';
import { z } from 'zod';
import { type ExportHarness, type Ready, refuses, startRunningHarness, tickerOf } from '../testing/harness.js';

const croissant = z.object({
  identifier: z.string(),
  distribution: z.array(
    z.object({ contentUrl: z.string(), contentSize: z.string(), encodingFormat: z.string(), sha256: z.string() }),
  ),
  recordSet: z
    .array(z.object({ field: z.array(z.object({ source: z.object({ extract: z.object({ column: z.string() }) }) })) }))
    .optional(),
});
const datacite = z.object({
  publicationYear: z.string(),
  titles: z.array(z.object({ title: z.string() })),
  alternateIdentifiers: z.array(z.object({ alternateIdentifier: z.string() })),
  descriptions: z.array(z.object({ description: z.string() })),
  sizes: z.array(z.string()),
  formats: z.array(z.string()),
});

describe('a dataset', { timeout: 240_000 }, () => {
  let harness: ExportHarness;
  let account: string;
  let event: string;
  before(async () => {
    harness = await startRunningHarness();
  });
  after(() => harness.close());
  beforeEach(async () => {
    ({ account, event } = await harness.change());
  });

  const readyOne = (): Promise<Ready> => harness.ready({ event });
  const idOf = ({ file }: Ready): string => datasetIdOf(file.sha256, undefined);
  const hashOf = async (exportId: string): Promise<string> =>
    createHash('sha256')
      .update(await harness.textOf(exportId))
      .digest('hex');
  const again = (dataset: string): Promise<Ready> => harness.ready({ dataset });
  const lose = ({ file }: Ready): Promise<void> => harness.fixture.objects.delete(file.storage_key);
  const changesOf = async (work: Promise<unknown>): Promise<unknown> => {
    const error: unknown = await work.then(
      () => assert.fail('the dataset was made again'),
      (reason: unknown) => reason,
    );
    assert.ok(error instanceof DomainError && error.code === 'dataset_changed', String(error));
    return error.options.more?.['changes'];
  };

  it('shows its content and citation to every account, and never whose it is', async () => {
    await harness.stubs.changed(tickerOf(event));
    const state = await readyOne();
    const { citation, manifest } = await harness.link(state.id);
    const shown = await harness.dataset(idOf(state), 'a reader');
    assert.deepEqual(shown.manifest, manifest);
    assert.deepEqual(shown.citation, citation);
    assert.deepEqual(shown.manifest.markets, [{ ticker: tickerOf(event), data_version: 1, rows: 3 }]);
    assert.equal(shown.sha256, state.file.sha256);
    assert.equal(shown.bytes, state.file.bytes);
    const year = new Date((state.ready_us ?? 0) / 1_000).getUTCFullYear();
    const what = `Data set, CSV, 3 rows of 1 market. ${idOf(state)}, SHA-256 ${state.file.sha256}`;
    assert.equal(
      citation?.text,
      `Almanac (${year}). ${event}: snapshots, settlement. ${what}. GET /api/v1/datasets/${idOf(state)}`,
    );
    assert.match(citation.bibtex, new RegExp(`^@misc\\{${idOf(state)},\n  author = \\{\\{Almanac\\}\\},\n`));
    const text = JSON.stringify(shown);
    for (const secret of [account, state.id, state.grant, state.file.storage_key]) assert.ok(!text.includes(secret));
  });

  it('has the metadata of Croissant, which name its file, its hash and each of its columns in order', async () => {
    for (const streams of [undefined, ['settlement'], ['l2', 'trades', 'sizes', 'settlement']] as const) {
      const state = await harness.ready({ event, ...(streams && { streams: [...streams] }) });
      const metadata = croissant.parse(await harness.metadata(idOf(state), 'croissant'));
      const [file = assert.fail()] = metadata.distribution;
      assert.deepEqual(
        [metadata.identifier, file.contentUrl, file.contentSize, file.encodingFormat, file.sha256],
        [idOf(state), state.filename, `${state.file.bytes} B`, 'text/csv', state.file.sha256],
      );
      const [records = assert.fail()] = metadata.recordSet ?? [];
      const [head = ''] = (await harness.textOf(state.id)).split('\n');
      const columns = records.field.map(({ source }) => source.extract.column);
      assert.deepEqual(columns, JSON.parse(`[${head}]`));
    }
  });

  it('has no columns in the metadata of Croissant for a file that has none to name', async () => {
    const state = await harness.ready({ event, format: 'jsonl.gz' });
    const { distribution, recordSet } = croissant.parse(await harness.metadata(idOf(state), 'croissant'));
    assert.deepEqual([distribution[0]?.encodingFormat, recordSet], ['application/gzip', undefined]);
  });

  it('has the metadata of DataCite, with its id, hash and year', async () => {
    const state = await readyOne();
    const shown = await harness.dataset(idOf(state));
    const metadata = datacite.parse(await harness.metadata(idOf(state), 'datacite'));
    assert.deepEqual(metadata, {
      publicationYear: String(shown.year),
      titles: [{ title: `${event}: snapshots, settlement` }],
      alternateIdentifiers: [{ alternateIdentifier: idOf(state) }, { alternateIdentifier: shown.sha256 }],
      descriptions: [{ description: shown.citation.text }],
      sizes: [`${shown.bytes} B`],
      formats: ['text/csv'],
    });
  });

  it('is one for equal files, and stays when its data changes', async () => {
    const first = await readyOne();
    const shown = await harness.dataset(idOf(first));
    await harness.storeEvent(4);
    await harness.stubs.changed(tickerOf(event));
    const second = await readyOne();
    assert.notEqual(idOf(second), idOf(first));
    assert.deepEqual(await harness.dataset(idOf(first)), shown);
    const recorded = await harness.eventsOf('EVT_FILE', subjects.dataset(idOf(first)));
    assert.deepEqual(recorded, ['DatasetRecorded']);
  });

  it('gives another account the same bytes, which pays for them like for any export', async () => {
    const first = await readyOne();
    const [claim] = harness.stubs.claims.slice(-1);
    await harness.change();
    const made = await again(idOf(first));
    assert.equal(await hashOf(made.id), first.file.sha256);
    assert.equal(made.file.storage_key, first.file.storage_key);
    const [claimed] = harness.stubs.claims.slice(-1);
    assert.deepEqual({ ...claimed, export_id: '' }, { ...claim, export_id: '' });
    harness.stubs.refusal = new DomainError('payment_required', 'Not covered.');
    const refused = refuses(harness.create({ dataset: idOf(first) }), 'payment_required');
    await refused.finally(() => (harness.stubs.refusal = undefined));
  });

  it('has its bytes from the stored file after its data changed', async () => {
    const first = await readyOne();
    await harness.storeEvent(5);
    await harness.stubs.changed(tickerOf(event));
    const made = await again(idOf(first));
    assert.equal(await hashOf(made.id), first.file.sha256);
  });

  it('whose file is lost is made again with the same bytes if nothing changed', async () => {
    const first = await readyOne();
    await lose(first);
    const made = await again(idOf(first));
    assert.notEqual(made.file.storage_key, first.file.storage_key);
    assert.equal(await hashOf(made.id), first.file.sha256);
    assert.equal(made.file_key, first.file_key);
  });

  it('whose file is lost names what changed, and reserves nothing', async () => {
    await harness.stubs.changed(tickerOf(event));
    const first = await readyOne();
    await lose(first);
    await harness.storeEvent(6);
    await harness.stubs.changed(tickerOf(event));
    const claims = harness.stubs.claims.length;
    const changes = [{ ticker: tickerOf(event), change: 'data_version', was: 1, now: 2 }];
    assert.deepEqual(await changesOf(harness.create({ dataset: idOf(first) })), changes);
    assert.deepEqual(await changesOf(harness.quote({ dataset: idOf(first) })), changes);
    assert.equal(harness.stubs.claims.length, claims);
  });

  it('names bytes that differ although no version changed', async () => {
    const first = await readyOne();
    const copy = await again(idOf(first));
    await lose(first);
    // Rows whose version is not raised yet.
    await harness.storeEvent(7);
    await refuses(harness.missing(first.id), 'export_restoring');
    await eventually(async () => assert.equal((await harness.fileOf(first.id)).status, 'ready'));
    const changes = [{ ticker: null, change: 'bytes', was: null, now: null }];
    assert.deepEqual(await changesOf(harness.create({ dataset: idOf(first) })), changes);
    // The other export follows its target. The export of the dataset keeps what it promised.
    await eventually(async () => {
      const state = await harness.stateOf(first.id);
      assert.ok(state?.status === 'ready' && state.file.sha256 !== first.file.sha256);
    });
    await refuses(harness.missing(copy.id), 'dataset_changed');
    assert.deepEqual(await harness.stateOf(copy.id), copy);
  });

  it('fails an export whose new file has other bytes', async () => {
    const first = await readyOne();
    await lose(first);
    await harness.storeEvent(8);
    const state = await harness.ended((await harness.create({ dataset: idOf(first) })).id);
    assert.ok(state.status === 'failed', state.status);
    assert.match(state.error, /not with the same bytes as the dataset/);
  });

  it('is estimated exactly', async () => {
    const first = await readyOne();
    const { row_count, bytes_estimate, markets } = await harness.quote({ dataset: idOf(first) });
    assert.deepEqual([row_count, bytes_estimate, markets], [3, first.file.bytes, 1]);
  });

  it('is refused beside a target, and if nobody made it', async () => {
    const dataset = datasetIdOf('0'.repeat(64), undefined);
    await refuses(harness.create({ dataset, event }), 'ambiguous_target');
    for (const id of [dataset, 'ds-', 'x', `${dataset}.>`, '*']) {
      await refuses(harness.create({ dataset: id }), 'dataset_not_found');
      await refuses(harness.dataset(id), 'dataset_not_found');
    }
  });

  it('of a file from before datasets exists once the file is shown', async () => {
    const earlier = await harness.fileOf((await readyOne()).id);
    assert.ok(earlier.file !== null);
    const [key, sha256] = [randomUUID(), randomBytes(32).toString('hex')];
    const state = { ...earlier, key, waiting: [], file: { ...earlier.file, sha256 } };
    const store = jetStreamStore(harness.own);
    const [time, timeoutMs] = [unixMicros(), 10_000];
    const common = { command: null, account: null, time, timeoutMs };
    const asBefore = { state: fileState, decide: () => ({ type: 'FileReady', data: {} }), evolve: () => state };
    await execute(store, asBefore, { ...common, id: randomUUID(), subject: subjects.file(key) });
    const id = randomUUID();
    const request = {
      query: earlier.query,
      grant: 'plan',
      file_key: key,
      filename: 'f',
      requested_us: time,
    } as const;
    await execute(store, exportDecider(account, id), {
      ...common,
      command: { type: 'request', request },
      id: randomUUID(),
      subject: subjects.export(account, id),
    });
    assert.equal((await harness.ended(id)).status, 'ready');
    await refuses(harness.dataset(datasetIdOf(sha256, undefined)), 'dataset_not_found');
    const { citation } = await harness.link(id);
    assert.deepEqual((await harness.dataset(datasetIdOf(sha256, undefined))).citation, citation);
  });
});
