import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { testS3 } from '@almanac/testing';

/** A bucket of an S3 server on a free port, and the environment of a program that reads it. */
export const testBucket = async () => {
  const server = await testS3();
  const { url, bucket, accessKeyId, secretAccessKey } = server;
  const credentials = { accessKeyId, secretAccessKey };
  const signer = new SignatureV4({
    service: 's3',
    region: 'us-east-1',
    uriEscapePath: false,
    sha256: Hash.bind(null, 'sha256'),
    credentials,
  });
  const put = async (key: string, body: string): Promise<void> => {
    const path = `/${bucket}/${key.split('/').map(encodeURIComponent).join('/')}`;
    const { protocol, hostname, host } = new URL(url);
    const { headers } = await signer.sign({ method: 'PUT', protocol, hostname, path, headers: { host }, body });
    const { host: _, ...others } = headers;
    const answer = await fetch(new URL(path, url), { method: 'PUT', headers: others, body });
    if (!answer.ok) throw new Error(`${key}: status ${answer.status}: ${await answer.text()}`);
  };
  const environment = {
    AWS_ACCESS_KEY_ID: accessKeyId,
    AWS_SECRET_ACCESS_KEY: secretAccessKey,
    AWS_ENDPOINT_URL: url,
  };
  return { bucket, put, environment, stop: async () => server.stop() };
};

/** Works on many items, some at the same time. */
export const inLanes = async <T>(items: readonly T[], work: (item: T) => Promise<void>): Promise<void> => {
  const left = items.values();
  const lane = async (): Promise<void> => {
    for (const item of left) await work(item);
  };
  await Promise.all(Array.from({ length: 32 }, lane));
};
