import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { verifySignature, type SignedRequest } from './signature.js';

// The worked examples of the Amazon S3 API reference, "Authenticating Requests (AWS Signature Version 4)".
const credentials = {
  accessKeyId: 'AKIAIOSFODNN7EXAMPLE',
  secretAccessKey: 'wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY',
};
const signedMs = Date.parse('2013-05-24T00:00:00Z');
const emptySha256 = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

const byHeader: SignedRequest = {
  method: 'GET',
  path: '/test.txt',
  query: {},
  headers: {
    host: 'examplebucket.s3.amazonaws.com',
    range: 'bytes=0-9',
    'x-amz-content-sha256': emptySha256,
    'x-amz-date': '20130524T000000Z',
    authorization:
      'AWS4-HMAC-SHA256 Credential=AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request,' +
      'SignedHeaders=host;range;x-amz-content-sha256;x-amz-date,' +
      'Signature=f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41',
  },
};

const byLink: SignedRequest = {
  method: 'GET',
  path: '/test.txt',
  query: {
    'X-Amz-Algorithm': 'AWS4-HMAC-SHA256',
    'X-Amz-Credential': 'AKIAIOSFODNN7EXAMPLE/20130524/us-east-1/s3/aws4_request',
    'X-Amz-Date': '20130524T000000Z',
    'X-Amz-Expires': '86400',
    'X-Amz-SignedHeaders': 'host',
    'X-Amz-Signature': 'aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404',
  },
  headers: { host: 'examplebucket.s3.amazonaws.com' },
};

const refused = (code: string) => (error: unknown) => error instanceof Error && 'code' in error && error.code === code;

describe('verifySignature', () => {
  it('accepts the header signature from the S3 reference', async () => {
    await verifySignature(byHeader, [credentials], signedMs);
  });

  it('accepts the presigned link from the S3 reference until it expires', async () => {
    await verifySignature(byLink, [credentials], signedMs + 86_400_000);
    await assert.rejects(verifySignature(byLink, [credentials], signedMs + 86_400_001), refused('AccessDenied'));
  });

  it('refuses a header signature more than 15 minutes from now', async () => {
    await assert.rejects(verifySignature(byHeader, [credentials], signedMs + 900_001), refused('RequestTimeTooSkewed'));
    await assert.rejects(verifySignature(byHeader, [credentials], signedMs - 900_001), refused('RequestTimeTooSkewed'));
  });

  it('refuses the same signature for another method, path, query or signed header', async () => {
    const changes: Partial<SignedRequest>[] = [
      { method: 'PUT' },
      { path: '/test.txt2' },
      { query: { ...byLink.query, 'response-content-type': 'text/html' } },
      { query: { ...byLink.query, 'X-Amz-Expires': '86401' } },
      { headers: { host: 'other.s3.amazonaws.com' } },
    ];
    for (const change of changes) {
      const attempt = verifySignature({ ...byLink, ...change }, [credentials], signedMs);
      await assert.rejects(attempt, refused('SignatureDoesNotMatch'), JSON.stringify(change));
    }
    const otherRange = { ...byHeader, headers: { ...byHeader.headers, range: 'bytes=0-99' } };
    await assert.rejects(verifySignature(otherRange, [credentials], signedMs), refused('SignatureDoesNotMatch'));
  });

  it('refuses another secret, an unknown key, a missing signature and two signatures', async () => {
    const secret = { ...credentials, secretAccessKey: 'another' };
    await assert.rejects(verifySignature(byHeader, [secret], signedMs), refused('SignatureDoesNotMatch'));
    const key = { ...credentials, accessKeyId: 'another' };
    await assert.rejects(verifySignature(byHeader, [key], signedMs), refused('InvalidAccessKeyId'));
    const anonymous = { ...byLink, query: {} };
    await assert.rejects(verifySignature(anonymous, [credentials], signedMs), refused('AccessDenied'));
    const both = { ...byHeader, query: byLink.query };
    await assert.rejects(verifySignature(both, [credentials], signedMs), refused('InvalidArgument'));
  });

  it('refuses an x-amz header that the signature does not cover', async () => {
    const request = { ...byLink, headers: { ...byLink.headers, 'x-amz-copy-source': '/other/secret' } };
    await assert.rejects(verifySignature(request, [credentials], signedMs), refused('AccessDenied'));
  });

  it('agrees with the signer of the SDK about names and values that need encoding', async () => {
    const signer = new SignatureV4({
      service: 's3',
      region: 'eu-west-1',
      uriEscapePath: false,
      sha256: Hash.bind(null, 'sha256'),
      credentials,
    });
    const query = { prefix: "a b+c&d=é/~'()*", empty: '', many: ['2', '1'] };
    const signed = await signer.sign(
      {
        method: 'PUT',
        protocol: 'http:',
        hostname: 'localhost',
        path: '/bucket/a%20b%2Bc%C3%A9',
        query,
        headers: { host: 'localhost:9000', 'content-type': 'text/plain;  charset=utf-8', 'x-amz-meta-name': ' a  b ' },
        body: 'bytes',
      },
      { signingDate: new Date(signedMs) },
    );
    const request = { method: 'PUT', path: signed.path, query, headers: signed.headers };
    await verifySignature(request, [credentials], signedMs);
  });
});
