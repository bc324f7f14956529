import { fullDiskSuite } from './testing/full-disk-suite.js';

fullDiskSuite('elsewhere');
