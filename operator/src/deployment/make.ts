import { writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { deploymentFiles } from './files.js';

const repository = new URL('../../../', import.meta.url);

for (const [path, text] of deploymentFiles()) {
  await writeFile(fileURLToPath(new URL(path, repository)), text);
  console.log(`Wrote ${path}`);
}
