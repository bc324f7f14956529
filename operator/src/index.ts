export { generateArchive, type GeneratedArchive } from './archive/generate.js';
export { storeArchive, storeGeneratedArchive } from './archive/store.js';
export { connectOperator, createAccount } from './operator.js';
export { type Infrastructure, startInfrastructure } from './infrastructure.js';
export { loadSecrets, type Secrets } from './secrets.js';
export { argumentsOf, environmentOf, type RunningService, startServiceProcess } from './services.js';
export { startSystem, type System, type SystemOptions } from './system.js';
export { expectedIn } from './status/expected.js';
export { deploymentFiles } from './deployment/files.js';
