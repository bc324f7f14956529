import { pytestSuite } from './pytest-suite.js';

pytestSuite('the asynchronous Python client', ['tests/_async']);
