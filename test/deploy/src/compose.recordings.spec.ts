import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { it } from 'node:test';
import { recording } from '@almanac/testing';
import { Ajv } from 'ajv';
import { z } from 'zod';
import { readYaml } from './repository.js';

const schemaFile = recording('specs/compose-spec.schema.json');

it('docker-compose.yml is valid by the Compose specification', { skip: schemaFile.skip }, async () => {
  const schema = z.record(z.string(), z.unknown()).parse(JSON.parse(await readFile(schemaFile.path, 'utf8')));
  // The draft has another name than the one that ajv knows, but the same rules.
  const { $schema: _draft, ...rules } = schema;
  const validate = new Ajv({ strict: false, validateFormats: false }).compile(rules);
  const [document] = await readYaml('docker-compose.yml');
  assert.ok(validate(document), JSON.stringify(validate.errors, undefined, 2));
});
