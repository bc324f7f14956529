import { basename } from 'node:path';
import type { Rebuild } from '../../books/rebuild.js';
import type { HourAround } from '../../recordings/hour-messages.js';
import type { HourlyFormat } from '../../recordings/hourly-books.js';
import { hourUs, receiptReader } from '../../recordings/hourly-scan.js';
import { readTime } from '../../values/time.js';

/** The hour of a file of books, as its name or its first row shows it. */
export interface FileHour {
  readonly startUs: number;
  /** Only names show which hours are missing. */
  readonly isNamed: boolean;
  readonly isEmpty: boolean;
}

/** What the files of hours of an import share. */
export interface Hours {
  readonly aroundOf: (path: string) => HourAround;
  rebuild: Rebuild | null;
}

export const fileHourOf = (path: string, { hourly, records }: HourlyFormat): FileHour | null => {
  const isEmpty = records.first === null;
  const [, day, hour] = /(\d{4}-\d\d-\d\d)T(\d\d)(?!\d)/.exec(basename(path)) ?? [];
  const named = day === undefined || hour === undefined ? null : readTime(`${day}T${hour}:00:00Z`, 'iso');
  if (named !== null) return { startUs: named, isNamed: true, isEmpty };
  const us = records.first === null ? null : receiptReader()(hourly.read(records.first).received);
  return us === null ? null : { startUs: us - (us % hourUs), isNamed: false, isEmpty };
};

/** Which hours are missing between the files. An hour without rows is missing, too. */
export const hoursOf = (files: ReadonlyMap<string, FileHour>): Hours => {
  const inOrder = Array.from(files.values()).toSorted((a, b) => a.startUs - b.startUs);
  const withRows = inOrder.filter(({ isEmpty }) => !isEmpty);
  const lastUs = inOrder.at(-1)?.startUs ?? 0;
  const missingAfter = ({ startUs, isNamed, isEmpty }: FileHour): string | null => {
    if (!isNamed || isEmpty) return null;
    const next = withRows.find((file) => file.startUs > startUs);
    if (next?.isNamed === false) return null;
    return missingText(startUs + hourUs, next?.startUs ?? lastUs + hourUs);
  };
  return {
    aroundOf: (path) => {
      const file = files.get(path);
      return { startUs: file?.startUs ?? null, missingAfter: file ? missingAfter(file) : null };
    },
    rebuild: null,
  };
};

const missingText = (fromUs: number, untilUs: number): string | null => {
  if (fromUs >= untilUs) return null;
  const [first, last] = [hourText(fromUs), hourText(untilUs - hourUs)];
  return first === last
    ? `the recording has no rows of the hour ${first}`
    : `the recording has no rows of the hours ${first} to ${last}`;
};

const hourText = (us: number): string => new Date(us / 1_000).toISOString().slice(0, 13);
