import openapiTS, { astToString } from 'openapi-typescript';

const heading = `// Made by \`npm run docs:make\` from docs/openapi.json; do not edit.\n\n`;

/** The TypeScript types of every schema and operation of the document. */
export const apiTypes = async (document: URL): Promise<string> =>
  heading + astToString(await openapiTS(document, { alphabetize: true, defaultNonNullable: false }));
