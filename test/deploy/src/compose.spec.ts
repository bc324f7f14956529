import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, it } from 'node:test';
import { processNames } from '@almanac/contracts';
import { images } from '@almanac/testing';
import { z } from 'zod';
import { environment, givenSecret, readText, readYaml, repository } from './repository.js';
import { assertConfigures, variableRows } from './service-configs.js';

const composeFile = z.object({
  services: z.record(
    z.string(),
    z.object({
      image: z.string(),
      environment: environment.default({}),
      ports: z.array(z.string()).default([]),
      volumes: z.array(z.string()).default([]),
      depends_on: z.record(z.string(), z.object({ condition: z.string() })).default({}),
      healthcheck: z.object({}).optional(),
      read_only: z.boolean().default(false),
      tmpfs: z.array(z.string()).default([]),
      cap_drop: z.array(z.string()).default([]),
      security_opt: z.array(z.string()).default([]),
    }),
  ),
});

const reference = /\$\{(\w+)(:[-?])([^}]*)\}/g;

/** The file after variable substitution, with a value for every required one. */
const interpolated = (text: string): string =>
  text.replaceAll(reference, (_all, _name, kind, rest) => (kind === ':-' ? String(rest) : givenSecret));

describe('docker-compose.yml', () => {
  let text = '';
  let file: z.output<typeof composeFile>;
  before(async () => {
    text = await readText('docker-compose.yml');
    const [document] = await readYaml('docker-compose.yml');
    file = composeFile.parse(document);
  });

  for (const name of [...processNames, 'migrate', 'bucket', 'operator', 'ingest']) {
    it(`gives ${name} all the variables it needs and no unknown one`, () => {
      const variables = file.services[name]?.environment ?? {};
      const entries = Object.entries(variables).map(([variable, value]) => [variable, interpolated(value)]);
      assertConfigures(name, environment.parse(Object.fromEntries(entries)));
    });
  }

  it('gives every service its own login at NATS, and at ClickHouse and Redis where it uses them', () => {
    for (const name of processNames) {
      const variables = file.services[name]?.environment ?? {};
      for (const server of ['NATS', 'CLICKHOUSE', 'REDIS']) {
        if (variables[`${server}_URL`] === undefined) continue;
        assert.equal(variables[`${server}_USER`], name);
        const password = variables[`${server}_PASSWORD`] ?? '';
        assert.match(password, new RegExp(`\\b${server}_PASSWORD_${name.toUpperCase()}:\\?`));
      }
    }
  });

  it('has no default password: each is required, and listed without a value in .env.example', async () => {
    const example = await readText('.env.example');
    const named = [...example.matchAll(/^(\w+)=(.*)$/gm)];
    for (const [, name, value] of named) assert.equal(value, '', `${name} has a value`);
    const references = [...text.matchAll(reference)];
    const required = references.flatMap(([, name = '', kind]) => (kind === ':?' ? [name] : []));
    const referenced = named.map(([, name = '']) => name);
    assert.deepEqual([...new Set(required)].toSorted(), referenced.toSorted());
    const optional = references.flatMap(([, name = '', kind]) => (kind === ':-' ? [name] : []));
    const documented = [...example.matchAll(/^#(\w+)=/gm)].map(([, name = '']) => name);
    assert.deepEqual([...new Set(optional)].toSorted(), documented.toSorted());
    assert.equal(references.length, text.match(/(?<!\$)\$\{/g)?.length, 'a reference of another form');
    for (const { environment: variables } of Object.values(file.services)) {
      for (const [name, value] of Object.entries(variables)) {
        // Required, or empty by default: never a value in this file.
        if (/PASSWORD|SECRET|AUTH$/.test(name)) assert.match(value, /^\$\{\w+:(?:\?|-\}$)/, `${name} is written down`);
      }
    }
  });

  it('has TLS to NATS for whoever connects to it, as docker-compose.tls.yml adds it', async () => {
    const [document] = await readYaml('docker-compose.tls.yml');
    const { services } = z
      .object({ services: z.record(z.string(), z.object({ environment, volumes: z.array(z.string()) })) })
      .parse(document);
    const connects = Object.entries(file.services).flatMap(([name, one]) =>
      one.environment['NATS_URL'] === undefined ? [] : [name],
    );
    assert.deepEqual(Object.keys(services).toSorted(), [...connects, 'nats'].toSorted());
    for (const name of connects) {
      const { environment: added, volumes } = services[name] ?? assert.fail(name);
      const all = Object.entries({ ...file.services[name]?.environment, ...added });
      const variables = all.map(([variable, value]) => [variable, interpolated(value)]);
      assertConfigures(name, environment.parse(Object.fromEntries(variables)));
      assert.deepEqual(volumes, ['${NATS_TLS_FOLDER:?see docs/deploy.md}/client:/etc/almanac/nats:ro']);
      for (const path of [added['NATS_CA_FILE'], added['NATS_CERT_FILE'], added['NATS_KEY_FILE']])
        assert.match(path ?? '', /^\/etc\/almanac\/nats\/(ca|tls)\.(crt|key)$/);
    }
  });

  it('runs every Almanac image on a read-only file system, without root', () => {
    const own = Object.entries(file.services).filter(([, { image }]) => image.startsWith('almanac/'));
    assert.deepEqual(
      own.map(([name]) => name).toSorted(),
      [...processNames, 'migrate', 'bucket', 'operator', 'ingest'].toSorted(),
    );
    for (const [name, one] of own) {
      assert.deepEqual(
        [one.read_only, one.tmpfs, one.cap_drop, one.security_opt],
        [true, ['/tmp'], ['ALL'], ['no-new-privileges:true']],
        name,
      );
    }
  });

  it('opens ports on 127.0.0.1 only', () => {
    for (const { ports } of Object.values(file.services)) {
      for (const port of ports) assert.match(port, /^127\.0\.0\.1:/);
    }
  });

  it('waits for every dependency with a health check, and mounts files that exist', () => {
    for (const [name, { depends_on: waits, volumes }] of Object.entries(file.services)) {
      for (const [other, { condition }] of Object.entries(waits)) {
        const awaited = file.services[other];
        assert.ok(awaited !== undefined, `${name} waits for ${other}`);
        if (condition === 'service_healthy') assert.ok(awaited.healthcheck !== undefined, `${other} tells no health`);
      }
      for (const volume of volumes) {
        const [source = ''] = volume.split(':');
        if (source.startsWith('.')) assert.ok(existsSync(join(repository, source)), source);
      }
    }
  });

  it('runs the same servers as npm run test:containers', () => {
    for (const [name, image] of Object.entries(images))
      assert.equal(interpolated(file.services[name]?.image ?? ''), image);
  });
});

describe('docs/deploy.md', () => {
  it('has a row for each variable of each service, as the code has it, and no other', async () => {
    const page = await readText('docs/deploy.md');
    const documented = [...page.matchAll(/^\| `[A-Z][A-Z0-9_]+` .*$/gm)].map(([row]) => row.replace(/ +\|/g, ' |'));
    const rows = variableRows();
    assert.deepEqual(documented.toSorted(), rows.toSorted(), `the rows are to be:\n${rows.join('\n')}`);
  });
});
