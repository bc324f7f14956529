import { moneySurvives } from './money-suite.js';

moneySurvives({ purchases: 20, accounts: 3, seed: 4 });
