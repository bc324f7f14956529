import { writeGeneratedFile } from '@almanac/runtime';
import { asyncApi } from './document.js';

const text = `${JSON.stringify(asyncApi(), undefined, 2)}\n`;
await writeGeneratedFile(new URL('../../../../docs/asyncapi.json', import.meta.url), text);
