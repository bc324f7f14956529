import { moneySurvives } from './chaos-suite.js';

moneySurvives({ purchases: 20, accounts: 3, seed: 4 });
