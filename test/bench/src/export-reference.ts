import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { connectClickHouse, stream } from '@almanac/clickhouse';
import { exportFormats, exportQuery, type ExportQuery } from '@almanac/contracts';
import { fileSql } from '@almanac/export';
import { z } from 'zod';
import { unixMicros } from '@almanac/runtime';
import { answerParent } from './worker.js';

const text = z.string();
const workerMessage = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    clickhouse: z.object({ url: text, username: text, password: text }),
    s3: z.object({ endpoint: text, accessKeyId: text, secretAccessKey: text }),
    bucket: text,
  }),
  z.object({ kind: z.literal('file'), key: text, question: exportQuery }),
  z.object({ kind: z.literal('queries'), questions: z.array(exportQuery) }),
]);
type Start = Extract<z.output<typeof workerMessage>, { kind: 'start' }>;

/** The same part size and concurrency as ours. */
const partSize = 6 * 1_024 * 1_024;
const queueSize = 3;

/** The minimal export: it hashes and stores the bytes of the engine, and neither counts nor records them. */
const makeFiles = ({ clickhouse, s3, bucket }: Start) => {
  const engine = connectClickHouse(clickhouse);
  const client = new S3Client({
    endpoint: s3.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const answerOf = (message: ExportQuery) => {
    // All bench markets have observations, which ours knows from its count.
    const sql = fileSql(message, { nowUs: unixMicros(), withEmpty: false });
    return stream(engine, sql, { gzip: message.format === 'jsonl.gz' });
  };
  return {
    file: async (key: string, message: ExportQuery) => {
      const hash = createHash('sha256');
      let bytes = 0;
      const hashed = new PassThrough();
      const answer = await answerOf(message);
      answer.on('data', (chunk: Buffer) => {
        hash.update(chunk);
        bytes += chunk.length;
      });
      answer.once('error', (error) => hashed.destroy(error));
      const { contentType } = exportFormats[message.format];
      const params = { Bucket: bucket, Key: key, Body: answer.pipe(hashed), ContentType: contentType };
      await new Upload({ client, params, partSize, queueSize }).done();
      return { bytes, sha256: hash.digest('hex') };
    },
    /** The bytes of the answers, one query after another. */
    queries: async (exportQueries: readonly ExportQuery[]) => {
      let bytes = 0;
      for (const message of exportQueries) {
        for await (const chunk of await answerOf(message)) bytes += z.instanceof(Buffer).parse(chunk).length;
      }
      return { bytes };
    },
  };
};

let files: ReturnType<typeof makeFiles> | undefined;

answerParent(async (message) => {
  const parsed = workerMessage.parse(message);
  if (parsed.kind === 'start') {
    files = makeFiles(parsed);
    return {};
  }
  if (files === undefined) throw new Error('it was not started');
  const startedAt = performance.now();
  const made =
    parsed.kind === 'file' ? await files.file(parsed.key, parsed.question) : await files.queries(parsed.questions);
  return { ...made, seconds: (performance.now() - startedAt) / 1_000 };
});
