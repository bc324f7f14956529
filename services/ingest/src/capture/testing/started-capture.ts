import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { TestContext } from 'node:test';
import { everyChangeUs } from '@almanac/contracts';
import { BookIntake } from '../../books/book-intake.js';
import { memoryArchive } from '../../import/testing/memory-archive.js';
import { venues } from '../../venues/venues.js';
import { Capture, type CaptureEvent, type CaptureDeps } from '../capture.js';
import { captureContext } from '../capture-context.js';
import { receivedClock } from '../clock.js';
import { Recording } from '../recording.js';
import { sessionTimes } from '../session.js';

/** Starts a capture of every change into an archive in memory, with its recording in a temporary folder. */
export const startedCapture = async (
  context: TestContext,
  venue: keyof typeof venues,
  connection: Pick<CaptureDeps, 'feed' | 'lists'>,
) => {
  const home = mkdtempSync(join(tmpdir(), 'capture-'));
  context.after(() => rmSync(home, { recursive: true }));
  const folder = join(home, 'recording');
  const onFault = (error: unknown): void => assert.fail(String(error));
  const bounds = { partBytes: 200_000, partMs: 3_600_000, waitingBytesMax: 1_000_000 };
  const recording = await Recording.open({ folder, ...bounds, onFault });
  const memory = memoryArchive();
  const intakeContext = captureContext({ archive: memory.archive, name: 'a capture', onRefused: () => undefined });
  const reader = venues[venue].frames.reader();
  const events: CaptureEvent[] = [];
  const capture = new Capture({
    ...connection,
    reader,
    recording,
    intake: (onSpan) =>
      new BookIntake({ context: intakeContext, intervalUs: everyChangeUs, factOf: reader.factOf, onSpan }),
    nowUs: receivedClock(),
    times: { ...sessionTimes, idleTimeoutMs: 60_000, heartbeatMs: 50, pauseMs: 1, pauseMsMax: 20 },
    listEveryMs: 1_000,
    storeEveryMs: 1_000,
    onEvent: (event) => void events.push(event),
  });
  context.after(() => capture.stop());
  const end = async () => {
    await capture.stop();
    assert.ok(await recording.close(60_000));
    return { ...memory, refused: intakeContext.report.refused, folder, events };
  };
  return { capture, memory, end };
};
