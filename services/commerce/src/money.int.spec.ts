import { moneyIsWhatIsUnlocked } from './testing/money-suite.js';

moneyIsWhatIsUnlocked({ deeds: 200, seed: 4 });
