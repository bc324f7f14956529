import { makeFile } from '@almanac/runtime';
import { routes } from '../routes/routes.js';
import { openApiOf } from './document.js';

const text = `${JSON.stringify(openApiOf(routes), undefined, 2)}\n`;
await makeFile(new URL('../../../../docs/openapi.json', import.meta.url), text);
