import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withFolder } from '../import/testing/with-folder.js';
import { importPlaces, quotes } from './testing/import-places.js';
import { serveObject, withServer } from './testing/object-server.js';

const listOf = (keys: readonly string[], isCut: boolean): string =>
  `<?xml version="1.0"?><ListBucketResult><EncodingType>url</EncodingType><IsTruncated>${isCut}</IsTruncated>${keys
    .map((key) => `<Contents><Key>${encodeURIComponent(key)}</Key><ETag>&quot;x&quot;</ETag><Size>1</Size></Contents>`)
    .join('')}</ListBucketResult>`;

describe('a store without credentials', () => {
  it('is asked without a signature, at the endpoint only, with encoded keys', async () => {
    const text = Buffer.from(quotes('KXA-26AUG10-A', 3));
    await withServer(
      (request, response) => {
        const { pathname, searchParams } = new URL(request.url ?? '', 'http://x');
        if (pathname !== '/store/public') return serveObject(request, response, text, { etag: '"x"' });
        response.end(searchParams.has('marker') ? listOf(['d/z.csv'], false) : listOf(['d/a=b +%.csv', 'd/c'], true));
      },
      ({ url, requests }) =>
        withFolder(async (folder) => {
          const environment = { AWS_ENDPOINT_URL: 'http://127.0.0.1:1', AWS_ENDPOINT_URL_S3: `${url}/store/` };
          const { reports } = await importPlaces(['s3://public/d/*.csv'], { folder, places: { environment } });
          assert.deepEqual(
            reports.map(({ file, error }) => [file, error]),
            [
              ['s3://public/d/a=b +%.csv', null],
              ['s3://public/d/z.csv', null],
            ],
          );
          assert.ok(requests.every(({ headers }) => headers.authorization === undefined));
          assert.deepEqual(
            [...new Set(requests.map((request) => request.url))],
            [
              '/store/public?encoding-type=url&prefix=d%2F',
              '/store/public?encoding-type=url&prefix=d%2F&marker=d%2Fc',
              '/store/public/d/a%3Db%20%2B%25.csv',
              '/store/public/d/z.csv',
            ],
          );
        }),
    );
  });

  it('names the region of a bucket, an object that changed since the listing, and what is no store', async () => {
    await withServer(
      (request, response) => {
        const { pathname } = new URL(request.url ?? '', 'http://x');
        if (pathname === '/there') response.writeHead(301, { 'x-amz-bucket-region': 'eu-west-1' }).end();
        else if (pathname === '/site') response.end('<html>');
        else if (pathname === '/moved') response.end(listOf(['a.csv'], false));
        else serveObject(request, response, Buffer.from(quotes('KXA-26AUG10-A', 3)));
      },
      ({ url }) =>
        withFolder(async (folder) => {
          const environment = { AWS_ENDPOINT_URL: url };
          const { reports } = await importPlaces(['s3://there/', 's3://moved/', 's3://site/', 'gs://x/'], {
            folder,
            places: { environment },
          });
          assert.deepEqual(
            reports.map(({ error }) => error),
            [
              's3://there/: the server answers 301 Moved Permanently. The bucket is in another region. Set AWS_REGION=eu-west-1',
              's3://moved/a.csv: the object changed since it was listed. Import it again',
              's3://site/: the server does not answer as an S3 store does. Check AWS_ENDPOINT_URL',
              'gs://x/: places with gs: are not supported. Use https:// or s3://, which reads any store with AWS_ENDPOINT_URL',
            ],
          );
        }),
    );
  });
});
