import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Parser } from '@asyncapi/parser';
import { type StoredExportEvent, exportEvents } from '@almanac/contracts';
import { asyncApi } from './document.js';
import { examples } from './examples.js';

const types = Object.keys(exportEvents) as StoredExportEvent['type'][];

describe('the AsyncAPI document of exports', () => {
  it('is valid with its examples, and contains every event of the contracts', async () => {
    const { document, diagnostics } = await new Parser().parse(JSON.stringify(asyncApi()));
    // Severity 0 is an error and 1 a warning. Higher ones are hints.
    const faults = diagnostics.filter(({ severity }) => [0, 1].includes(severity));
    assert.deepEqual(
      faults.map(({ path, message }) => `${path.join('.')}: ${message}`),
      [],
    );
    const channel = document?.channels().get('exports');
    assert.equal(channel?.address(), 'evt.export.{account}.{export_id}');
    const messages = channel.messages().all();
    assert.deepEqual(
      messages.map((message) => message.name()),
      types,
    );
    for (const message of messages) assert.ok(message.hasPayload() && message.summary(), message.name());
  });

  it('has examples that match the contracts, without unknown fields', () => {
    for (const type of types) assert.deepEqual(exportEvents[type].parse(examples[type]), examples[type]);
  });
});
