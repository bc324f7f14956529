// The synchronous client is generated from the asynchronous one, whose tests run with every change, and the scenarios drive it.
import { useClientsSystem } from '../clients-system.js';
import { describePytest } from './pytest-suite.js';

describePytest('the synchronous Python client', ['tests/_sync'], useClientsSystem());
