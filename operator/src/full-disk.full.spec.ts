// Only root can mount a disk to fill.
import { fullDiskSuite } from './testing/full-disk-suite.js';

fullDiskSuite('on the disk');
