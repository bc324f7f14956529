import { readFile } from 'node:fs/promises';
import { writeGeneratedFile } from '@almanac/runtime';
import openapiTS, { astToString } from 'openapi-typescript';
// The pages of the documentation, imported from their build, so that clients give the same advice.
import { errorPages } from '../../../services/gateway/dist/openapi/error-pages.js';
import { alertRunbook } from './alert-runbook.js';
import { adviceOf, errorAdvice } from './error-advice.js';
import { openApiDocument, operationsOf, operationTable } from './operations.js';
import { clientReference } from './reference.js';

const repository = new URL('../../../', import.meta.url);
const document = new URL('docs/openapi.json', repository);
const client = new URL('clients/typescript/', repository);
const generated = new URL('src/generated/', client);

const heading = '// Made by `npm run docs:make` from docs/openapi.json; do not edit.\n\n';
const types = astToString(await openapiTS(document, { alphabetize: true, defaultNonNullable: false }));

const parsed = openApiDocument.parse(JSON.parse(await readFile(document, 'utf8')));
await writeGeneratedFile(new URL('api.ts', generated), heading + types);
await writeGeneratedFile(new URL('operations.ts', generated), operationTable(operationsOf(parsed)));
await writeGeneratedFile(new URL('error-advice.ts', generated), errorAdvice(adviceOf(errorPages)));
await writeGeneratedFile(new URL('REFERENCE.md', client), clientReference(client));

const operatorPage = new URL('clients/console/src/screens/operator/', repository);
const alerts = await readFile(new URL('docs/runbooks/alerts.md', repository), 'utf8');
await writeGeneratedFile(new URL('alert-runbook.ts', operatorPage), alertRunbook(alerts));
