import { createHash } from 'node:crypto';
import { PassThrough } from 'node:stream';
import { S3Client } from '@aws-sdk/client-s3';
import { Upload } from '@aws-sdk/lib-storage';
import { connectClickHouse, stream } from '@almanac/clickhouse';
import { exportFormats, exportQuestion, type ExportQuestion } from '@almanac/contracts';
import { fileQuery } from '@almanac/export';
import { z } from 'zod';
import { answerParent } from './worker.js';

const text = z.string();
const question = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('start'),
    clickhouse: z.object({ url: text, username: text, password: text }),
    s3: z.object({ endpoint: text, accessKeyId: text, secretAccessKey: text }),
    bucket: text,
  }),
  z.object({ kind: z.literal('file'), key: text, question: exportQuestion }),
  z.object({ kind: z.literal('queries'), questions: z.array(exportQuestion) }),
]);
type Start = Extract<z.output<typeof question>, { kind: 'start' }>;

/** As large and as many at once as ours. */
const partSize = 6 * 1_024 * 1_024;
const queueSize = 3;

/** The least that makes a file: what the engine writes is hashed and stored, and neither counted nor recorded. */
const makeFiles = ({ clickhouse, s3, bucket }: Start) => {
  const engine = connectClickHouse(clickhouse);
  const client = new S3Client({
    endpoint: s3.endpoint,
    region: 'us-east-1',
    credentials: { accessKeyId: s3.accessKeyId, secretAccessKey: s3.secretAccessKey },
    forcePathStyle: true,
    requestChecksumCalculation: 'WHEN_REQUIRED',
  });
  const answerOf = (asked: ExportQuestion) =>
    // All markets of the benches have observations, and ours knows it from its count.
    stream(engine, fileQuery(asked, { nowUs: Date.now() * 1_000, withEmpty: false }), {
      gzip: asked.format === 'jsonl.gz',
    });
  return {
    file: async (key: string, asked: ExportQuestion) => {
      const hash = createHash('sha256');
      let bytes = 0;
      const hashed = new PassThrough();
      const answer = await answerOf(asked);
      answer.on('data', (chunk: Buffer) => {
        hash.update(chunk);
        bytes += chunk.length;
      });
      answer.once('error', (error) => hashed.destroy(error));
      const { contentType } = exportFormats[asked.format];
      const params = { Bucket: bucket, Key: key, Body: answer.pipe(hashed), ContentType: contentType };
      await new Upload({ client, params, partSize, queueSize }).done();
      return { bytes, sha256: hash.digest('hex') };
    },
    /** The answers' bytes, of one question after the other. */
    queries: async (questions: readonly ExportQuestion[]) => {
      let bytes = 0;
      for (const asked of questions) {
        for await (const chunk of await answerOf(asked)) bytes += z.instanceof(Buffer).parse(chunk).length;
      }
      return { bytes };
    },
  };
};

let files: ReturnType<typeof makeFiles> | undefined;

answerParent(async (asked) => {
  const parsed = question.parse(asked);
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
