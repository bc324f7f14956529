import assert from 'node:assert/strict';
import { X509Certificate } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { connectBus, TlsError } from '@almanac/bus';
import { userNames } from '@almanac/contracts';
import { acceptsNatsClients, findBinary, freePort, type RunningProcess, startProcess } from '@almanac/local-servers';
import { z } from 'zod';
import { environmentOf, type KubernetesObject, named, template, valuesOf } from './kubernetes.js';

const texts = z.object({ data: z.record(z.string(), z.string()) });
const natsPod = z.object({
  spec: z.object({
    template: z.object({
      spec: z.object({
        volumes: z.array(z.looseObject({ name: z.string() })),
        containers: z.tuple([
          z.object({
            args: z.array(z.string()),
            env: z.array(z.object({ name: z.string(), value: z.string().optional() })),
            volumeMounts: z.array(
              z.object({ name: z.string(), mountPath: z.string(), subPath: z.string().optional() }),
            ),
          }),
        ]),
      }),
    }),
  }),
});
const tls = ['--set', 'nats.tls.enabled=true', '--set', 'nats.tls.clientCertificate=true'];

/** The server with the files that the chart gives its pod: paths of the pod are below a folder. */
describe('TLS of the NATS server of a trial', () => {
  let folder = '';
  let objects: KubernetesObject[] = [];
  let server: RunningProcess | undefined;
  let url = '';
  const inPod = (path: string): string => join(folder, path);

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'almanac-trial-tls-'));
    objects = await template([...valuesOf('small'), ...tls]);
    const { containers, volumes } = natsPod.parse(named(objects, 'StatefulSet', 'nats')).spec.template.spec;
    const [{ args, env, volumeMounts }] = containers;
    for (const path of ['etc/nats', 'etc/nats-tls', 'etc/almanac/nats', 'data'])
      await mkdir(inPod(path), { recursive: true });
    const files = texts.parse(named(objects, 'ConfigMap', 'nats')).data;
    for (const { mountPath, subPath } of volumeMounts.filter(({ name }) => name === 'files')) {
      const text = files[subPath ?? ''] ?? assert.fail(subPath);
      await writeFile(
        inPod(mountPath),
        text.replaceAll(/"(\/(?:data|etc\/nats-tls)[^"]*)"/g, (_, path: string) => `"${inPod(path)}"`),
      );
    }
    assert.deepEqual(volumes.find(({ name }) => name === 'nats-tls')?.['secret'], {
      secretName: 'almanac-nats-tls',
      defaultMode: 0o440,
    });
    for (const [name, value] of Object.entries(texts.parse(named(objects, 'Secret', 'almanac-nats-tls')).data))
      for (const mount of ['etc/nats-tls', 'etc/almanac/nats'])
        await writeFile(inPod(join(mount, name)), Buffer.from(value, 'base64'));
    const [port, monitor] = [await freePort(), await freePort()];
    url = `nats://127.0.0.1:${port}`;
    server = await startProcess({
      name: 'nats-server',
      command: await findBinary('nats-server'),
      args: [
        ...args.map((arg) => (arg.startsWith('/') ? inPod(arg) : arg)),
        '-a',
        '127.0.0.1',
        '-p',
        String(port),
        '-m',
        String(monitor),
      ],
      env: {
        ...process.env,
        ...Object.fromEntries(userNames.map((user) => [`NATS_PASSWORD_${user.toUpperCase()}`, 'test'])),
        ...Object.fromEntries(env.flatMap(({ name, value }) => (value === undefined ? [] : [[name, value]]))),
      },
      logFile: join(folder, 'nats.log'),
      isReady: () => acceptsNatsClients(port, 'almanac'),
    });
  });
  after(async () => {
    await server?.stop();
    await rm(folder, { recursive: true, force: true });
  });

  it('accepts the services with what their pods have, and nobody without a certificate', async () => {
    const { NATS_CA_FILE: caFile, NATS_CERT_FILE: certFile, NATS_KEY_FILE: keyFile } = environmentOf(objects, 'keys');
    assert.ok(caFile !== undefined && certFile !== undefined && keyFile !== undefined);
    const login = { url, user: 'keys', password: 'test', connectTimeoutMs: 2_000 };
    const shown = { caFile: inPod(caFile), certFile: inPod(certFile), keyFile: inPod(keyFile) };
    await (await connectBus({ ...login, tls: shown })).close();
    await assert.rejects(connectBus({ ...login, tls: { caFile: shown.caFile } }), TlsError);
    await assert.rejects(connectBus({ ...login, tls: {} }), TlsError);
  });

  it('is for the name in NATS_URL', () => {
    const { hostname } = new URL(environmentOf(objects, 'keys')['NATS_URL'] ?? '');
    const { 'tls.crt': certificate = '' } = texts.parse(named(objects, 'Secret', 'almanac-nats-tls')).data;
    assert.equal(new X509Certificate(Buffer.from(certificate, 'base64')).checkHost(hostname), hostname);
  });

  it('is made by an issuer of cert-manager if there is one', async () => {
    const issuer = 'nats.tls.certificate={"enabled":true,"issuerRef":{"name":"mine"}}';
    const made = await template([...valuesOf('small'), ...tls, '--set-json', issuer]);
    const { spec } = z.object({ spec: z.looseObject({}) }).parse(named(made, 'Certificate', 'nats-clients'));
    assert.deepEqual(
      [spec['dnsNames'], spec['usages']],
      [
        ['nats', 'localhost'],
        ['client auth', 'server auth', 'digital signature'],
      ],
    );
    assert.ok(!made.some(({ kind, metadata }) => kind === 'Secret' && metadata.name === 'almanac-nats-tls'));
  });
});
