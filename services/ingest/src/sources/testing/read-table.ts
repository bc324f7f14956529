import assert from 'node:assert/strict';
import { openSource } from '../open/open-source.js';
import { OpenContainers } from '../open/containers.js';
import { diskContent } from '../packed/content.js';

/** The rows and columns of a file with records. */
export const readTable = async (path: string) => {
  const containers = new OpenContainers(diskContent);
  const opened = await openSource({ path }, containers);
  try {
    assert.ok('records' in opened.found);
    const values: unknown[] = [];
    for await (const { records } of opened.found.records.blocks()) values.push(...records.map(({ value }) => value));
    return { values, columns: opened.found.records.table?.columns.map(({ name, type }) => `${name} ${type}`) };
  } finally {
    await opened.close();
    await containers.close();
  }
};
