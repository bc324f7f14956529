import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { encode as encodeCl100k } from 'gpt-tokenizer/encoding/cl100k_base';
import { encode as encodeO200k } from 'gpt-tokenizer/encoding/o200k_base';
import { connectAgent } from './testing/agent.js';

const tokensMax = 2_000;

/** Nothing listens there: definitions need no API. */
const connected = (asOf?: number) => connectAgent('http://127.0.0.1:9', asOf);

/** The definitions and the instructions as the program of an agent gets them. */
const definitionsOf = async (asOf?: number) => {
  const client = await connected(asOf);
  const { tools } = await client.listTools();
  const instructions = client.getInstructions() ?? '';
  await client.close();
  return { tools, instructions };
};

describe('the definitions of the tools', () => {
  it('are at most ten, and together have fewer than 2,000 tokens', async () => {
    const { tools } = await definitionsOf();
    const text = JSON.stringify(tools);
    assert.ok(tools.length <= 10);
    for (const encode of [encodeO200k, encodeCl100k]) {
      const { length } = encode(text);
      assert.ok(length < tokensMax, `${length} tokens`);
    }
  });

  it('have a title, a description, bounds of every number, and an output schema', async () => {
    const { tools } = await definitionsOf();
    for (const { name, title, description, inputSchema, outputSchema } of tools) {
      assert.ok(title !== undefined && (description ?? '').length > 20, name);
      assert.ok(outputSchema !== undefined && Object.keys(outputSchema['properties'] ?? {}).includes('as_of'), name);
      for (const [field, schema] of Object.entries(inputSchema.properties ?? {})) {
        const { type, minimum } = schema as { type?: string; minimum?: number };
        if (type === 'integer' || type === 'number') assert.ok(minimum !== undefined, `${name}.${field}`);
      }
    }
  });

  it('say that only create_export has an effect, and no tool takes as_of', async () => {
    const { tools } = await definitionsOf();
    const writing = tools.filter(({ annotations }) => annotations?.readOnlyHint !== true);
    assert.deepEqual(
      writing.map(({ name, annotations }) => [name, annotations]),
      [['create_export', { readOnlyHint: false, destructiveHint: false, idempotentHint: false }]],
    );
    assert.ok(tools.every(({ inputSchema }) => !('as_of' in (inputSchema.properties ?? {}))));
  });

  it('refuse an argument that a tool does not have', async () => {
    const client = await connected();
    const { tools } = await client.listTools();
    for (const { name } of tools) {
      const result = await client.callTool({ name, arguments: { as_of: 1_700_000_000 } });
      assert.equal(result.isError, true, name);
      assert.match(JSON.stringify(result.content), /invalid_arguments.*There is no argument as_of.*valid_keys/, name);
    }
    await client.close();
  });

  it('come with instructions that name the time of a pinned server', async () => {
    assert.match((await definitionsOf(1_700_000_000)).instructions, /1700000000 \(2023-11-14T22:13:20\.000Z\)/);
    assert.match((await definitionsOf()).instructions, /as of now/);
  });
});
