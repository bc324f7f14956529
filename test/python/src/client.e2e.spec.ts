import { pytestSuite } from './pytest-suite.js';

pytestSuite('the Python client', ['--ignore=tests/_async']);
