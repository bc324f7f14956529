import { matchesGlob } from 'node:path';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { ImportError } from '../errors.js';
import { type Http, type Refusal, RefusedError, type RequestHeaders, type Target } from './http.js';
import { fixedPart, isGlob, isHiddenPath } from './local-glob.js';
import type { PlaceObject } from './place.js';
import { remoteFacts } from './remote-file.js';

const listBytesMax = 16 * 1024 * 1024;

/** A bucket with the credentials of the environment, or without any. */
interface Bucket {
  readonly bucket: string;
  readonly http: Http;
  readonly region: string;
  /** Null: Amazon's. */
  readonly endpoint: URL | null;
  readonly sign: Target['signed'] | null;
}

/** The objects of `s3://bucket/key`, of `s3://bucket/prefix` and of `s3://bucket/glob/*.parquet`, by key. */
export async function* s3Objects(
  place: string,
  http: Http,
  environment: NodeJS.ProcessEnv,
): AsyncGenerator<PlaceObject, void, undefined> {
  const [, name, key = ''] = /^s3:\/\/([^/]+)(?:\/(.*))?$/is.exec(place) ?? [];
  if (name === undefined) throw new ImportError(`${place}: it has no bucket. Write s3://bucket/prefix`);
  const bucket: Bucket = { bucket: name, http, ...accessOf(environment) };
  if (isGlob(key)) return yield* listed(bucket, fixedPart(key), (found) => matchesGlob(found, key));
  if (key !== '' && !key.endsWith('/')) {
    const target = targetOf(bucket, key);
    try {
      const facts = await remoteFacts(http, target);
      return yield { target, facts, size: facts.size, identity: facts.identity, isNamed: true };
    } catch (error) {
      // Without the right to list, a missing key is a 403.
      if (!(error instanceof RefusedError) || ![403, 404].includes(error.refusal.status)) throw error;
      if (error.refusal.code === 'NoSuchBucket') throw error;
      let isFound = false;
      for await (const object of listed(bucket, `${key}/`, () => true)) {
        isFound = true;
        yield object;
      }
      if (!isFound) throw error;
      return;
    }
  }
  yield* listed(bucket, key, () => true);
}

async function* listed(
  bucket: Bucket,
  prefix: string,
  isWanted: (key: string) => boolean,
): AsyncGenerator<PlaceObject, void, undefined> {
  for await (const { key, size, etag } of pages(bucket, prefix)) {
    if (key.endsWith('/') || isHiddenPath(key, prefix) || !isWanted(key)) continue;
    yield { target: targetOf(bucket, key), facts: null, size, identity: etag, isNamed: false };
  }
}

interface ListedKey {
  readonly key: string;
  readonly size: number;
  readonly etag: string | null;
}

/** Version 1 of the listing, which every store has. Its pages follow the last key. */
async function* pages(bucket: Bucket, prefix: string): AsyncGenerator<ListedKey, void, undefined> {
  const { http } = bucket;
  for (let after: string | undefined = ''; after !== undefined;) {
    const target = targetOf(bucket, null, { 'encoding-type': 'url', prefix, ...(after !== '' && { marker: after }) });
    const name = `s3://${bucket.bucket}/${prefix}`;
    const page = await http.retried(name, async () => http.text(name, await http.get(target, {}), listBytesMax));
    if (!page.includes('<ListBucketResult'))
      throw new ImportError(`${name}: the server does not answer as an S3 store does. Check AWS_ENDPOINT_URL`);
    const isEncoded = xmlText(page, 'EncodingType') === 'url';
    const keys = [...page.matchAll(/<Contents>(.*?)<\/Contents>/gs)].map(([, one = '']): ListedKey => {
      const key = xmlText(one, 'Key') ?? '';
      const etag = xmlText(one, 'ETag');
      return {
        key: isEncoded ? decodeURIComponent(key.replaceAll('+', ' ')) : key,
        size: Number(xmlText(one, 'Size')),
        etag: etag === null ? null : `"${etag.replaceAll('"', '')}"`,
      };
    });
    yield* keys;
    after = xmlText(page, 'IsTruncated') === 'true' ? keys.at(-1)?.key : undefined;
  }
}

const entities: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };

const xmlText = (xml: string, element: string): string | null => {
  const text = new RegExp(`<${element}>([^<]*)</${element}>`).exec(xml)?.[1];
  if (text === undefined) return null;
  return text.replaceAll(
    /&(?:#x([\da-f]+)|#(\d+)|(\w+));/gi,
    (whole, hex?: string, decimal?: string, name?: string) => {
      if (name !== undefined) return entities[name] ?? whole;
      return String.fromCodePoint(hex === undefined ? Number(decimal) : Number.parseInt(hex, 16));
    },
  );
};

/** As the signature needs it: `encodeURIComponent` leaves five characters. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`);

const targetOf = (bucket: Bucket, key: string | null, query: Readonly<Record<string, string>> = {}): Target => {
  const { bucket: name, endpoint, region, sign } = bucket;
  // A name with dots is not covered by Amazon's certificate.
  const isHost = endpoint === null && !name.includes('.');
  const base =
    endpoint?.href.replace(/\/$/, '') ??
    `https://${isHost ? `${name}.` : ''}s3.${region}.amazonaws.com${region.startsWith('cn-') ? '.cn' : ''}`;
  const path = key === null ? '' : key.split('/').map(encoded).join('/');
  const search = Object.entries(query).map(([one, value]) => `${one}=${encoded(value)}`);
  const url = new URL(
    `${base}/${isHost ? '' : `${encoded(name)}${key === null ? '' : '/'}`}${path}${search.length > 0 ? `?${search.join('&')}` : ''}`,
  );
  return {
    name: `s3://${name}/${key ?? query['prefix'] ?? ''}`,
    url,
    signed: sign ?? ((_, headers) => Promise.resolve(headers)),
    remedyOf: (refusal) => remedyOf(refusal, bucket),
  };
};

const remedyOf = ({ status, code, headers }: Refusal, { bucket, endpoint, sign, region }: Bucket): string => {
  const place = endpoint?.host ?? 'Amazon S3';
  const other = headers['x-amz-bucket-region'];
  if (typeof other === 'string' && other !== region) return `The bucket is in another region. Set AWS_REGION=${other}`;
  if (status === 301 || status === 400) return 'Set AWS_REGION to the region of the bucket';
  if (status === 404 && code !== 'NoSuchKey')
    return `${place} has no such bucket or object. Check the name ${bucket}, and AWS_ENDPOINT_URL for another store`;
  if (status === 404)
    return 'No object has this key, and none is below it. For keys that begin with it, add * at its end';
  if (status !== 401 && status !== 403) return '';
  if (code === 'RequestTimeTooSkewed') return 'Set the clock of this computer';
  return sign === null
    ? `${place} lets nobody read it without a key. Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY`
    : 'The key of AWS_ACCESS_KEY_ID may not read or list it. Check AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, AWS_SESSION_TOKEN and the rights of the key';
};

/** From the variables that Amazon's own tools read, and from nowhere else. */
const accessOf = (environment: NodeJS.ProcessEnv): Pick<Bucket, 'region' | 'endpoint' | 'sign'> => {
  const of = (name: string): string | undefined => environment[name] || undefined;
  const region = of('AWS_REGION') ?? of('AWS_DEFAULT_REGION') ?? 'us-east-1';
  const address = of('AWS_ENDPOINT_URL_S3') ?? of('AWS_ENDPOINT_URL');
  if (address !== undefined && !/^https?:\/\//.test(URL.canParse(address) ? address : ''))
    throw new ImportError('AWS_ENDPOINT_URL is not an address such as https://s3.example.org');
  const [accessKeyId, secretAccessKey] = [of('AWS_ACCESS_KEY_ID'), of('AWS_SECRET_ACCESS_KEY')];
  const sessionToken = of('AWS_SESSION_TOKEN');
  if ((accessKeyId === undefined) !== (secretAccessKey === undefined))
    throw new ImportError('Set both AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or none of them');
  const endpoint = address === undefined ? null : new URL(address);
  if (accessKeyId === undefined || secretAccessKey === undefined) return { region, endpoint, sign: null };
  const credentials = { accessKeyId, secretAccessKey, ...(sessionToken !== undefined && { sessionToken }) };
  return {
    region,
    endpoint,
    sign: signing(
      new SignatureV4({ service: 's3', region, uriEscapePath: false, sha256: Hash.bind(null, 'sha256'), credentials }),
    ),
  };
};

const signing =
  (signer: SignatureV4) =>
  async (url: URL, headers: RequestHeaders): Promise<RequestHeaders> => {
    const { headers: signed } = await signer.sign({
      method: 'GET',
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      query: Object.fromEntries(url.searchParams),
      headers: { ...headers, host: url.host },
    });
    return signed;
  };
