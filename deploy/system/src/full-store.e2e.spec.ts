import { fullStoreSuite } from './testing/full-store-suite.js';

fullStoreSuite();
